#!/usr/bin/env bash
# Makes the Debian packages, checks them by lintian and against policy, unpacks them into a folder of its
# own, and uses them from there. Usage: test_package.sh BUILD_DIR VERSION (CC, CPACK, PYTHON: the tools)
# Status 77: skipped, where dpkg-deb is not.
set -euo pipefail

build_dir=$1 version=$2
: "${CC:=cc}" "${CPACK:=cpack}" "${PYTHON:=}"
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
packages=(libnitro-runtime0 libnitro0 libnitro0-plugins libnitro-dev nitro-tools)
[[ -z $PYTHON ]] || packages+=(python3-nitro)
for package in "${packages[@]}"; do
    file=$(find "$work/packages" -maxdepth 1 -name "${package}_${version}_*.deb")
    [[ -n $file ]] || fail "there is no package $package $version"
    dpkg-deb -x "$file" "$work/root"
    mkdir -p "$work/control"
    dpkg-deb -e "$file" "$work/control/$package"
    dpkg-deb -f "$file" Depends >"$work/$package.depends"
    about=$work/root/usr/share/doc/$package
    [[ -s $about/copyright ]] || fail "$package has no copyright file"
    gzip -dc "$about/changelog.gz" | grep -q "^nitro ($version)" || fail "$package has no changelog"
done
if type lintian >"$work/log" 2>&1; then
    lintian --fail-on error "$work"/packages/*.deb || fail "lintian finds errors, see above"
else
    echo "SKIPPED: lintian is not installed (./bootstrap tools does it): packages are checked by this test only"
fi

# What a library links to is what its package asks for; the others ask for the library.
[[ $(<"$work/libnitro-runtime0.depends") =~ ^libc6\ \([^,]*\)$ ]] ||
    fail "libnitro-runtime0 depends on: $(<"$work/libnitro-runtime0.depends")"
grep -q 'libsqlite3-0.*libsvm3' "$work/libnitro0.depends" ||
    fail "libnitro0 depends on: $(<"$work/libnitro0.depends")"
! grep -qE 'libcurl|libarchive|libhiredis|libssl|libhwy' "$work/libnitro0.depends" ||
    fail "libnitro0 asks for what its plug-ins load"
dpkg-deb -f "$work/packages"/libnitro0_*.deb Recommends | grep -qE 'plugins, nitro-models$' ||
    fail "libnitro0 does not recommend the models that ship"
for package in "${packages[@]:2}"; do
    grep -qF "libnitro0 (= $version)" "$work/$package.depends" ||
        fail "$package depends on: $(<"$work/$package.depends")"
done
for package in libnitro-runtime0 libnitro0; do
    grep -qx "activate-noawait ldconfig" "$work/control/$package/triggers" ||
        fail "$package does not trigger ldconfig"
done

# Libraries are in the multiarch folder, binaries have no paths to libraries, manual pages are compressed.
root=$work/root/usr
libraries=$(dirname "$(find "$root/lib" -name libnitro.so.0)")
[[ $libraries == "$root"/lib/*-linux-gnu* ]] || fail "libnitro.so.0 is in $libraries"
while read -r binary; do
    ! readelf -d "$binary" | grep -E 'RPATH|RUNPATH' || fail "$binary has a path to libraries"
done < <(find "$root/bin" "$root/lib" -type f \( -name '*.so*' -o -perm -u+x \))
pages=$(find "$root/share/man" -type f ! -name '*.gz')
[[ -z $pages ]] || fail "manual pages are not compressed: $pages"

# The program runs and its pages, completions, guides and examples are there.
export LD_LIBRARY_PATH=$libraries
"$root/bin/nitro" --version | grep -qF "$version" || fail "bin/nitro does not run"
for file in man/man1/nitro-tune.1.gz bash-completion/completions/nitro zsh/vendor-completions/_nitro \
    fish/vendor_completions.d/nitro.fish doc/nitro/docs/tutorial.md doc/nitro/examples/sum.c; do
    [[ -s $root/share/$file ]] || fail "there is no share/$file"
done

# The models that ship, where this build makes them, are a package of their own: for programs, too.
models=$(find "$work/packages" -maxdepth 1 -name "nitro-models_${version}_all.deb")
if [[ -n $models ]]; then
    [[ ! -e $root/share/nitro/models ]] || fail "another package than nitro-models has models"
    dpkg-deb -x "$models" "$work/root"
    XDG_DATA_HOME=$work/none "$root/bin/nitro" models spmv | grep -qF "$root/share/nitro/models/spmv@host" ||
        fail "the models that ship are not found"
fi

# Without the package of plug-ins, an error names it.
mv "$libraries/nitro0" "$work/plugins"
! "$root/bin/nitro" store list --store redis://127.0.0.1:1/ 2>"$work/error" || fail "Redis answers"
grep -qF "install the package libnitro0-plugins" "$work/error" ||
    fail "a missing plug-in: $(<"$work/error")"
NITRO_GENERATE_MB=1 "$root/bin/nitro" features sort --generate 1 >"$work/features" 2>"$work/error" &&
    grep -q "highway.so.* install the package libnitro0-plugins" "$work/error" ||
    fail "a missing plug-in of variants: $(<"$work/error")"

# A program builds against the unpacked development package; Python finds its package.
"$CC" -std=c11 -fopenmp "$root/share/doc/nitro/examples/sum.c" -I"$root/include" -L"$libraries" -lnitro \
    -o "$work/program"
"$work/program" | grep -qx "5 7 9" || fail "a program built against libnitro-dev does not run"
[[ -z $PYTHON ]] || PYTHONPATH=$root/lib/python3/dist-packages "$PYTHON" -c \
    'import nitro; assert nitro.__version__ == "'"$version"'"' || fail "python3-nitro does not work"
echo "package: ${packages[*]} work"
