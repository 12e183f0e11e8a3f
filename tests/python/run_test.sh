#!/usr/bin/env bash
# One test of the Python package. Usage: run_test.sh package|types|notebook|wheel SOURCE BUILD PYTHON
# Status 77: skipped, for a tool that is not here.
set -euo pipefail

test=$1 source_dir=$2 build_dir=$3 python=$4

skip() {
    echo "SKIPPED: $*" >&2
    exit 77
}

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
export NITRO_PROGRAM=$build_dir/bin/nitro PATH=$build_dir/bin:$PATH
export PYTHONPATH=$build_dir/python PYTHONDONTWRITEBYTECODE=1

export NITRO_GENERATE_MB=spmv=48,histogram=128 # as in the other tests

case $test in
package)
    "$python" -W error::UserWarning "$source_dir/tests/python/test_nitro.py"
    ;;
types)
    mypy=("${MYPY:-mypy}")
    type "${mypy[0]}" >/dev/null 2>&1 || skip "there is no mypy (Debian: mypy)"
    "${mypy[@]}" --strict --cache-dir "$work/cache" "$build_dir/python/nitro" \
        "$source_dir/python/backend.py" "$source_dir/tests/python/typed_use.py"
    sed 's/length: float/length: str/' "$source_dir/tests/python/typed_use.py" >"$work/wrong.py"
    ! MYPYPATH=$build_dir/python "${mypy[@]}" --strict --cache-dir "$work/cache" "$work/wrong.py" ||
        { echo "mypy accepts a wrong use" && exit 1; }
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
    "$python" -c 'import pip' 2>/dev/null || skip "$python has no pip (Debian: python3-pip)"
    touch "$work/begun"
    unset PYTHONPATH
    # shellcheck disable=SC2016 # an expansion of the script that is made
    # A build of the checkout, by a cmake that only writes down what it is asked for.
    printf '#!/bin/sh\necho "$*" >>"%s"\n[ "$1" != --build ]\n' "$work/asked" >"$work/cmake"
    chmod +x "$work/cmake"
    ! PATH=$work:$PATH "$python" "$source_dir/python/backend.py" "$work" 2>"$work/error"
    grep -qE -- '^--build .* --parallel [0-9]+ ' "$work/asked" ||
        { echo "a wheel's build has no number of jobs: $(<"$work/asked")" && exit 1; }
    unset PYTHONDONTWRITEBYTECODE
    NITRO_BUILD_DIR=$build_dir "$python" -m pip wheel --quiet --no-deps --no-build-isolation --no-index \
        --disable-pip-version-check --wheel-dir "$work/wheels" "$source_dir/python"
    written=$(find "$source_dir/python" -type f -newer "$work/begun")
    [[ -z $written ]] || { echo "making a wheel wrote into the checkout: $written" && exit 1; }
    "$python" -m pip install --quiet --no-deps --no-index --disable-pip-version-check --no-warn-script-location \
        --target "$work/installed" "$work"/wheels/nitro_tuning-*.whl
    # Away from the build folder, on its own.
    cd /
    env -i HOME="$work" PYTHONPATH="$work/installed" "$python" "$source_dir/tests/python/use_wheel.py" \
        "$work/installed"
    env -i HOME="$work" PYTHONPATH="$work/installed" "$work/installed/bin/nitro" version
    if [[ -e $build_dir/models/shipped.csv ]]; then
        env -i HOME="$work" XDG_DATA_DIRS="$work" PYTHONPATH="$work/installed" \
            "$work/installed/bin/nitro" models spmv --json | grep -q '"ships": true' ||
            { echo "the wheel has no models" && exit 1; }
    fi
    ;;
esac
