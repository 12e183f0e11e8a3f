#!/usr/bin/env bash
# Makes the Debian packages, unpacks them into a folder of its own, and uses them from there.
# Usage: test_package.sh BUILD_DIR VERSION   (CC and CPACK name the tools)
# Status 77: skipped, where dpkg-deb is not.
set -euo pipefail

build_dir=$1 version=$2
: "${CC:=cc}" "${CPACK:=cpack}"
command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || {
    echo "SKIPPED: dpkg-deb or dpkg-shlibdeps is not here (Debian: dpkg-dev)" >&2
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

(cd "$build_dir" && "$CPACK" -G DEB -B "$work/packages") >"$work/log" 2>&1 ||
    { cat "$work/log" && fail "cpack makes no packages"; }
interface=${version%.*}
for package in "libnitro$interface" "libnitro$interface-plugins" libnitro-dev nitro-tuning; do
    file=$(find "$work/packages" -maxdepth 1 -name "${package}_${version}_*.deb")
    [[ -n $file ]] || fail "there is no package $package $version"
    dpkg-deb -x "$file" "$work/root"
    dpkg-deb -f "$file" Depends >"$work/$package.depends"
done

# What the library links to is what its package asks for; the others ask for the library.
grep -q 'libsqlite3-0.*libsvm3' "$work/libnitro$interface.depends" ||
    fail "libnitro$interface depends on: $(<"$work/libnitro$interface.depends")"
! grep -qE 'libcurl|libarchive|libhiredis|libssl' "$work/libnitro$interface.depends" ||
    fail "libnitro$interface asks for what its plug-ins load"
for package in "libnitro$interface-plugins" libnitro-dev nitro-tuning; do
    grep -qF "libnitro$interface (= $version)" "$work/$package.depends" ||
        fail "$package depends on: $(<"$work/$package.depends")"
done

# The program finds its library beside itself, and its pages are there.
root=$work/root/usr
unset LD_LIBRARY_PATH
"$root/bin/nitro" --version | grep -qF "$version" || fail "bin/nitro does not run"
[[ -s $root/share/man/man1/nitro-tune.1 ]] || fail "there is no man page nitro-tune.1"

# Without the package of plug-ins, an error names it.
mv "$work/root/usr/lib/nitro$interface" "$work/plugins"
! "$root/bin/nitro" store list --store redis://127.0.0.1:1/ 2>"$work/error" || fail "Redis answers"
grep -qF "install the package libnitro$interface-plugins" "$work/error" ||
    fail "a missing plug-in: $(<"$work/error")"

# A program builds against the unpacked development package.
printf '#include <nitro/nitro.h>\n#include <stdio.h>\nint main(void) { puts(nitro_version()); }\n' \
    >"$work/program.c"
"$CC" "$work/program.c" -I"$root/include" -L"$root/lib" -lnitro -Wl,-rpath,"$root/lib" \
    -o "$work/program"
[[ $("$work/program") == "$version" ]] || fail "a program built against libnitro-dev does not run"
echo "package: libnitro$interface, its plug-ins, libnitro-dev and nitro-tuning work"
