#!/usr/bin/env bash
# Checks which folder includes what, against three tables: rooms, other folders, libraries. And that the library
# does not read the environment of a setuid program's caller.
# Usage: check_includes.sh [ROOT]; prints one line a violation; status 0 only when there is none.
# shellcheck disable=SC2053 # the right sides of == are patterns from the tables
set -euo pipefail

# Rooms of nitro/, from the ground up: each may include its own headers, those of the rooms listed
# before it, and the public ones.
readonly rooms='
nitro/base              context, errors, text, files, numbers, settings, child processes
nitro/records           schemas, samples, devices, profiles, formulas, scalers
nitro/repository        stores: opened, checked, copied, merged
nitro/runtime/scores    forests, kernel expansions, SVM classifiers, calibration
nitro/runtime/compiled  the same laid out for one target
nitro/runtime/model     a model and what it decides
nitro/models            model files: JSON, binary, C
nitro/runtime/online    monitoring and adaptation
nitro/runtime           computations and their dispatch
nitro/kit               computations from tables: arguments, checks, inputs
nitro/kernels           kernels compiled at run time
nitro/measure           timing variants in worker processes
nitro/profile           collecting profiles
nitro/learn/data        training data
nitro/learn/kernel      kernel ridge regression
nitro/learn/forest      growing forests
nitro/learn/svm         training SVMs
nitro/learn/dfs         device-feature selection by search
nitro/learn             fitting, validation, selection
nitro/search            tuning-parameter spaces, searchers, evaluators
nitro/evaluate          evaluation, studies, explanations
'
# FILES (first match counts), then the project's headers that they may include:
# @public: nitro/nitro.h, runtime.h, tune.h, computation_kit.h, kernels.h, nitro_backend.h and nitro/backend/*;
# @room: as above; @own: headers of the same folder; @variants: of the same computation; @argument: a computation's
# variants/NAME/NAME.h, and NAME_cuda.h, NAME_opencl.h of its argument on devices.
readonly project_rules='
nitro/runtime.h        none
nitro/tune.h           nitro/runtime.h
nitro/nitro.h          nitro/runtime.h nitro/tune.h
nitro/computation_kit.h nitro/nitro.h
nitro/cuda.hpp         nitro/computation_kit.h
nitro/kernels.h        nitro/computation_kit.h
nitro/nitro.hpp        nitro/nitro.h
nitro/nitro_backend.h  nitro/backend/*
nitro/backend/*        nitro/nitro.h nitro/backend/*
nitro/builtins.c       @public nitro/lists/*.list
nitro/*                @public @room
variants/solver/*      nitro/nitro.h nitro/computation_kit.h nitro/cuda.hpp nitro/kernels.h @variants variants/spmv/host/spmv_kernels.h
variants/*             nitro/nitro.h nitro/computation_kit.h nitro/cuda.hpp nitro/kernels.h @variants
features/input/*       nitro/nitro.h @own @argument
features/device/*      @public nitro/base/json.h features/device/*.h
proxies/*              @public @own
dfs/*                  @public nitro/base/json.h @own
search/*               @public nitro/base/json.h @own
store/bundle/*         @public store/download/*.h @own
store/*                @public @own
apps/cuda_stub.c       variants/*/*.h
apps/cli/*             @public apps/cli/*
apps/*                 @public apps/matrix/*.h @own @argument
python/*               @public
examples/*             nitro/nitro.h nitro/computation_kit.h nitro/cuda.hpp nitro/kernels.h nitro/nitro_backend.h
tests/*                *
'
# HEADERS of a library, then the files that may include them. Libraries not named here are free.
readonly library_rules='
libsvm/*   nitro/* tests/*
svm.h      none
sqlite3*   store/* tests/*
hiredis*   store/* tests/*
curl/*     store/* tests/*
openssl/*  store/* tests/*
sodium*    store/* tests/*
zlib.h     nitro/base/* tests/*
zstd*      store/* tests/*
archive*   store/* tests/*
hwloc*     features/device/* tests/*
png.h      apps/histogram/* tests/*
cupti*     proxies/* tests/*
nvperf*    proxies/* tests/*
nvml*      features/device/* tests/*
cusparse*  variants/* tests/*
CL/*       features/device/*
cub/*      variants/* examples/* tests/*
hwy/*      variants/sort/* tests/*
cuda*      nitro/cuda.hpp features/device/* variants/* proxies/* apps/* examples/* tests/*
'

root=$(cd -- "${1:-$(dirname -- "${BASH_SOURCE[0]}")/..}" && pwd)
cd -- "$root"

# rule_for NAME TABLE: the right side of the first line whose pattern matches; fails without one.
rule_for() {
    local pattern allowed
    while read -r pattern allowed; do
        if [[ -n $pattern && $1 == $pattern ]]; then
            printf '%s\n' "$allowed"
            return
        fi
    done <<<"$2"
    return 1
}

declare -A level=()
while read -r room _; do
    [[ -z $room ]] || level[$room]=${#level[@]}
done <<<"$rooms"

# stands_below A B: is A the room B, or listed before it?
stands_below() {
    [[ -n ${level[$1]:-} && -n ${level[$2]:-} ]] && ((level[$1] <= level[$2]))
}

# allows RULE FILE NAME: does one of the rule's words match NAME, asked for by FILE?
allows() {
    local word words
    read -ra words <<<"$1"
    for word in "${words[@]}"; do
        if [[ $word == @public ]]; then
            [[ $3 == @(nitro/@(nitro|runtime|tune|computation_kit|kernels|nitro_backend).h|nitro/backend/*) ]] && return
        elif [[ $word == @room ]]; then
            stands_below "${3%/*}" "${2%/*}" && return
        elif [[ $word == @variants ]]; then
            [[ $3 =~ ^variants/([^/]+)/ && $2 == variants/"${BASH_REMATCH[1]}"/* ]] && return
        elif [[ $word == @own ]]; then
            [[ ${3%/*} == "${2%/*}" ]] && return
        elif [[ $word == @argument ]]; then
            [[ $3 =~ ^variants/([^/]+)/([^/]+)\.h$ &&
                ${BASH_REMATCH[2]%_opencl} == "${BASH_REMATCH[1]}"?(_cuda) ]] && return
        elif [[ $3 == $word ]]; then
            return
        fi
    done
    return 1
}

# check FILE LINE QUOTE NAME: prints the violation, if it is one.
check() {
    local file=$1 name=$4 rule
    if [[ $3 != '"' && $3 != '<' ]]; then
        echo "$file:$2: the included name is a macro: write it out"
    elif [[ $name == *..* || $name == /* ]]; then
        echo "$file:$2: \"$name\": write includes from the repository's root"
    elif [[ -e $name ]]; then
        if ! rule=$(rule_for "$file" "$project_rules"); then
            echo "$file:$2: no rule says what this folder may include"
        elif ! allows "$rule" "$file" "$name"; then
            echo "$file:$2: may not include \"$name\" (allowed: $rule)"
        fi
    elif [[ $3 == '"' && $file != tests/* ]]; then
        echo "$file:$2: \"$name\": no such file from the repository's root"
    elif rule=$(rule_for "$name" "$library_rules") && ! allows "$rule" "$name" "$file"; then
        echo "$file:$2: may not include <$name>; that library lives in: $rule"
    fi
}

mapfile -d '' -t files < <(find . \( -path './.*' -o -path './build*' \
    -o -path './tests/install/consumer' -o -path './examples/sparse' -o -path './examples/kernels' -o \
    -path './examples/tunable' -o \
    -path './examples/gemm' -o -path './examples/string_search' -o \
    -path './examples/cuda_streams' -o -path './examples/tutorial' \) -prune -o -type f \
    \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.hpp' \) -print0)
((${#files[@]} > 0)) || { echo "includes: no source file found in $root" >&2 && exit 1; }
readonly include='^[[:space:]]*#[[:space:]]*include(_next)?[[:space:]]*(.)([^">]*)'
violations=$(
    grep -nHE '^[[:space:]]*#[[:space:]]*include' "${files[@]}" | sort |
        while IFS=: read -r file line text; do
            [[ $text =~ $include ]] || continue
            check "${file#./}" "$line" "${BASH_REMATCH[2]}" "${BASH_REMATCH[3]}"
        done
    # The caller of a setuid program chooses its environment.
    printf '%s\0' "${files[@]}" | grep -zE '^\./(nitro|store|features|variants|proxies|dfs)/' |
        { xargs -0r grep -nHow getenv || true; } | sed 's|^\./||; s|:getenv$|: getenv: the library reads its environment by secure_getenv|'
)
if [[ -n $violations ]]; then
    printf '%s\n' "$violations"
    exit 1
fi
echo "includes: all as the tables in tests/check_includes.sh say"
