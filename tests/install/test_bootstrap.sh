#!/usr/bin/env bash
# Runs bootstrap's package step on simulated machines: apt-get, apt-cache, dpkg-query, sudo, id, cmake and ctest
# are fakes that write down how they were called. The real system is neither asked nor changed.
# Usage: test_bootstrap.sh SOURCE_DIR
# shellcheck disable=SC2016 # the fakes expand these variables, not this script
set -euo pipefail

source_dir=$1
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
checkout="$work/a checkout"
mkdir -p "$checkout/apps" "$work/bin" "$work/tools"
cp "$source_dir/bootstrap" "$checkout/"
printf '#!/bin/sh\necho "demo $* in $PWD" >>"$FAKE_LOG"\n' >"$checkout/apps/demo.sh"
chmod +x "$checkout/apps/demo.sh"

# Only these real tools are in reach, so that "no apt-get here" can be simulated.
for tool in bash sh env cat dirname readlink grep nproc true; do
    ln -s "$(type -P "$tool")" "$work/tools/$tool"
done

fake() {
    cat >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

fake dpkg-query <<'END'
#!/bin/bash
for package; do :; done
[[ " $(<"$FAKE_ABSENT") " == *" $package "* ]] || echo installed
END
fake apt-get <<'END'
#!/bin/bash
read -r line && echo "apt-get was given input: $line" >>"$FAKE_LOG"
words=() ; packages=()
while (($# > 0)); do
    case $1 in
    -o) shift ;;
    -*) ;;
    *) words+=("$1") ;;
    esac
    shift
done
echo "apt-get ${words[*]} ($DEBIAN_FRONTEND)" >>"$FAKE_LOG"
case ${words[0]} in
update)
    [[ $FAKE_UPDATE == works ]] || exit 100
    : >"$FAKE_LISTS"
    ;;
install)
    [[ $FAKE_INSTALL != fails ]] || exit 100
    [[ $FAKE_INSTALL == lies ]] || : >"$FAKE_ABSENT"
    ;;
esac
END
fake apt-cache <<'END'
#!/bin/bash
[[ -f $FAKE_LISTS && " $FAKE_UNKNOWN " != *" $2 "* ]]
END
fake sudo <<'END'
#!/bin/bash
[[ $1 == -n ]] || { echo "sudo would ask for a password" >>"$FAKE_LOG"; exit 1; }
[[ $FAKE_SUDO == works ]] || exit 1
[[ $2 == true ]] || echo "sudo" >>"$FAKE_LOG"
shift
exec "$@"
END
fake id <<'END'
#!/bin/bash
echo "$FAKE_USER"
END
for tool in cmake ctest; do
    printf '#!/bin/bash\necho "%s $*" >>"$FAKE_LOG"\n' "$tool" | fake "$tool"
done

# machine ABSENT-PACKAGES [NAME=VALUE...]: a fresh simulated machine, root and online unless said.
machine() {
    export FAKE_LOG=$work/log FAKE_ABSENT=$work/absent
    export FAKE_USER=0 FAKE_SUDO=works FAKE_UPDATE=works FAKE_INSTALL=works
    export FAKE_LISTS=$work/lists FAKE_UNKNOWN=
    : >"$FAKE_LISTS"
    echo "$1" >"$FAKE_ABSENT"
    shift
    local setting
    for setting in "$@"; do
        export "${setting?}"
    done
    : >"$FAKE_LOG"
    rm -rf "$checkout/build"
}

# bootstrap EXPECTED-STATUS ARGUMENT...: from another folder, with something on standard input.
bootstrap() {
    local expected=$1 status=0
    shift
    (cd / && PATH="$work/bin:$work/tools" "$checkout/bootstrap" "$@") \
        >"$work/out" 2>&1 <<<"an answer" || status=$?
    [[ $status == "$expected" ]] || fail "bootstrap $* ended with $status, expected $expected"
}

fail() {
    echo "FAILED: $case_name: $*" >&2
    echo "--- output" && cat "$work/out" && echo "--- calls" && cat "$work/log"
    exit 1
} >&2

logged() { grep -qxF -- "$1" "$work/log" || fail "no call: $1"; }
not_logged() { ! grep -qE -- "$1" "$work/log" || fail "unwanted call: $1"; }
printed() { grep -qF -- "$1" "$work/out" || fail "not printed: $1"; }
case_is() { case_name=$1; }

case_is "everything is installed"
machine ""
bootstrap 0 build -DOPTION=1
not_logged apt-get
logged "cmake -S $checkout --preset release -DOPTION=1"
grep -q "^cmake --build $checkout/build --parallel [1-9]" "$work/log" || fail "no parallel build"

case_is "two packages are missing"
machine "cmake libsvm-dev"
bootstrap 0 build
printed "installing missing Debian packages: cmake libsvm-dev"
logged "apt-get update (noninteractive)"
logged "apt-get install cmake libsvm-dev (noninteractive)"
[[ $(grep -n update "$work/log" | cut -d: -f1) == 1 ]] || fail "update is not first"
not_logged "given input"
not_logged sudo
bootstrap 0 build
[[ $(grep -c "apt-get install" "$work/log") == 1 ]] || fail "installed twice"

case_is "a user with sudo"
machine "cmake" FAKE_USER=1000
bootstrap 0 build
logged sudo
logged "apt-get install cmake (noninteractive)"

case_is "a user without sudo"
machine "cmake libhwloc-dev" FAKE_USER=1000 FAKE_SUDO=asks
bootstrap 1 build
not_logged "apt-get|cmake|password"
printed "apt-get update && apt-get install -y --no-install-recommends cmake libhwloc-dev"

case_is "a user without sudo who needs none"
machine "" FAKE_USER=1000 FAKE_SUDO=asks
bootstrap 0 build

case_is "package lists cannot be refreshed, but serve"
machine "cmake" FAKE_UPDATE=fails
bootstrap 0 build
printed "going on with the package lists that are here"
logged "apt-get install cmake (noninteractive)"

case_is "a package that the release does not have"
machine "cmake oclgrind" FAKE_UNKNOWN=oclgrind
bootstrap 0 test
printed "SKIPPED: this release of the distribution has no package oclgrind"
logged "apt-get install cmake (noninteractive)"
machine "oclgrind" FAKE_UNKNOWN=oclgrind FAKE_USER=1000 FAKE_SUDO=asks
bootstrap 0 test
not_logged "apt-get|password"

case_is "a fresh container, without package lists"
machine "cmake oclgrind" FAKE_UNKNOWN=oclgrind
rm "$FAKE_LISTS"
bootstrap 0 test
printed "SKIPPED: this release of the distribution has no package oclgrind"
logged "apt-get install cmake (noninteractive)"

case_is "offline"
machine "cmake" FAKE_UPDATE=fails FAKE_INSTALL=fails
bootstrap 1 build
printed "could not install: cmake"
printed "apt-get update && apt-get install -y --no-install-recommends cmake"
not_logged "^cmake"

case_is "apt-get claims success"
machine "cmake" FAKE_INSTALL=lies
bootstrap 1 build
printed "apt-get succeeded, yet these are missing: cmake"

case_is "not a Debian system"
machine ""
mv "$work/bin/apt-get" "$work/apt-get"
bootstrap 1 build
printed "no apt-get"
printed "libxxhash-dev"
not_logged cmake
mv "$work/apt-get" "$work/bin/apt-get"

case_is "tests"
machine ""
bootstrap 0 test -L unit
grep -q "^ctest --test-dir $checkout/build .*-L unit$" "$work/log" || fail "ctest not called so"

case_is "tests need packages of their own"
machine "cmake minisign"
bootstrap 0 build
not_logged "minisign"
machine "cmake minisign"
bootstrap 0 test
logged "apt-get install cmake minisign (noninteractive)"

case_is "demo"
machine ""
bootstrap 0 demo one two
logged "demo one two in /"

case_is "tools"
machine "clang-format-14"
bootstrap 0 tools
logged "apt-get install clang-format-14 (noninteractive)"

case_is "a build folder that came from elsewhere"
machine ""
mkdir "$checkout/build"
echo "CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere" >"$checkout/build/CMakeCache.txt"
bootstrap 0 build
logged "cmake -S $checkout --preset release --fresh"
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$checkout" >"$checkout/build/CMakeCache.txt"
bootstrap 0 build
logged "cmake -S $checkout --preset release"

case_is "usage"
machine ""
bootstrap 2
bootstrap 2 biuld
printed "unknown command: biuld"
bootstrap 0 help
printed "Usage: ./bootstrap"
not_logged "cmake|apt-get"

echo "bootstrap: all cases hold"
