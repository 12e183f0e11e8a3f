#!/usr/bin/env bash
# One test of the Python package. Usage: run_test.sh package|notebook|wheel SOURCE BUILD [PYTHON]
# Status 77: skipped, for a Python, cffi or pip that is not here.
set -euo pipefail

test=$1 source_dir=$2 build_dir=$3 python=${4:-}

skip() {
    echo "SKIPPED: $*" >&2
    exit 77
}

[[ -n $python ]] || skip "there is no python3"
"$python" -c 'import cffi' 2>/dev/null || skip "$python has no cffi (Debian: python3-cffi)"
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
export NITRO_LIBRARY=$build_dir/lib/libnitro.so NITRO_PROGRAM=$build_dir/bin/nitro
export PYTHONPATH=$build_dir/python PYTHONDONTWRITEBYTECODE=1

export NITRO_GENERATE_MB=spmv=48,histogram=128 # as in the other tests

case $test in
package)
    "$python" "$source_dir/tests/python/test_nitro.py"
    ;;
notebook)
    "$NITRO_PROGRAM" tune spmv --generate 30 --device model:c2075,model:k20c,model:gtx-980 \
        --store "$work/lab.db" --no-model --quiet >/dev/null
    "$python" "$source_dir/examples/evaluate_store.py" "$work/lab.db" | tee "$work/printed"
    grep -q '^spmv on 3 devices$' "$work/printed"
    grep -qE '^ +model:k20c +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+$' "$work/printed"
    grep -q '^variants: csr' "$work/printed"
    ;;
wheel)
    "$python" -c 'import setuptools, pip, wheel' 2>/dev/null ||
        skip "$python lacks pip, setuptools or wheel (Debian: python3-pip, python3-wheel)"
    # Building leaves files beside the sources: build a copy.
    mkdir "$work/nitro"
    cp -r "$source_dir/python" "$work/python"
    cp -r "$source_dir"/nitro/*.h "$source_dir/nitro/backend" "$work/nitro/"
    "$python" -m pip wheel --quiet --no-deps --no-build-isolation --no-index \
        --disable-pip-version-check --wheel-dir "$work/wheels" "$work/python"
    "$python" -m zipfile -e "$work"/wheels/nitro_tuning-*.whl "$work/unpacked"
    [[ -e $work/unpacked/nitro/py.typed ]]
    cd /
    PYTHONPATH=$work/unpacked "$python" -c 'import nitro; print(nitro.__version__, nitro.__file__)'
    ;;
esac
