#!/usr/bin/env bash
# Runs one command line test: NAME.sh in an empty folder, its output compared with NAME.expected.
# Usage: run_test.sh [--update] NAME BUILD-DIRECTORY; --update writes what came out as expected.
# Status 77 when the test says that it cannot run here (it prints a line "SKIP: why"); what it writes to
# descriptor 3, such as a part that is skipped, is printed and not compared.
set -uo pipefail

update=
if [[ ${1:-} == --update ]]; then
    update=yes
    shift
fi
name=$1
build=$(cd -- "$2" && pwd -P)
tests=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
folder=$(mktemp -d "${TMPDIR:-/tmp}/nitro-cli-$name.XXXXXX")
trap 'chmod -R u+rwX "$folder"; rm -rf "$folder"' EXIT

mkdir "$folder/work"
export PATH="$build/bin:$build/tests/cli:$PATH" MODULES="$build/tests/cli" TESTS="$tests"
export XDG_DATA_HOME="$folder/data" XDG_CACHE_HOME="$folder/cache" HOME="$folder/home" LC_ALL=C
export OMP_WAIT_POLICY=passive NITRO_GENERATE_MB=spmv=48,histogram=128
export OCL_ICD_VENDORS=$folder # no OpenCL device, unless a test asks for them
unset XDG_CONFIG_HOME http_proxy https_proxy all_proxy ALL_PROXY

# The machine's own name, folders, words of the servers and libraries that it has, and what depends on its load are
# not part of a test.
filter() {
    sed -e "s|$folder/work|WORK|g" -e "s|$folder/data|DATA|g" -e "s|$folder/cache|CACHE|g" \
        -e "s|$folder/home|HOME|g" -e "s|$MODULES|MODULES|g" \
        -e "s|$tests|TESTS|g" \
        -e 's/host:[A-Za-z0-9_.+@-]*\.json/HOST.json/g' -e 's/host:[A-Za-z0-9_.+@-]*/HOST/g' \
        -e 's/HOST, cuda:[^,]*, model/HOST, model/' \
        -e 's/NOPERM [^;]*;/NOPERM ...;/' -e "s/Couldn't connect to server/Could not connect to server/" \
        -e '/warning: this machine is busy/d' -e '/^learn: [0-9]* of [0-9]* models/d'
}

(cd "$folder/work" && bash -u -c '. "$1/prelude.sh"; . "$1/$2.sh"' nitro-cli "$tests" "$name") \
    </dev/null 3>&2 2>&1 | filter >"$folder/actual"
if grep '^SKIP: ' "$folder/actual"; then
    exit 77
fi
if [[ $update ]]; then
    cp "$folder/actual" "$tests/$name.expected"
elif ! diff -u --label "$name.expected" --label actual "$tests/$name.expected" "$folder/actual"; then
    exit 1
fi
