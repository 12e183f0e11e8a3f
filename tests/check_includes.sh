#!/usr/bin/env bash
# Keeps the picture of the house true: which folder may include what, as two tables.
# Usage: check_includes.sh [ROOT]; prints one line a violation; status 0 only when there is none.
# shellcheck disable=SC2053 # the right sides of == are patterns from the tables
set -euo pipefail

# FILES (first match counts), then the project's headers that they may include:
# @own: headers of the same folder; @argument: a computation's variants/NAME/NAME.h, and
# NAME_cuda.h of its argument on CUDA devices.
readonly project_rules='
nitro/nitro.h          none
nitro/nitro.hpp        nitro/nitro.h
nitro/nitro_backend.h  nitro/backend/*
nitro/backend/*        nitro/nitro.h nitro/backend/*
nitro/*                nitro/*
variants/*             nitro/nitro.h variants/cuda_variant.h variants/cuda_kernel.cuh variants/host_variant.h @own
features/input/*       nitro/nitro.h @own @argument
features/device/*      nitro/nitro.h nitro/nitro_backend.h nitro/base/json.h nitro/base/statistics.h @own
proxies/*              nitro/nitro.h nitro/nitro_backend.h @own
dfs/*                  nitro/nitro.h nitro/nitro_backend.h @own
store/*                nitro/nitro.h nitro/nitro_backend.h @own
apps/cuda_modules_stub.c       apps/*/module.h
apps/*                 nitro/nitro.h nitro/nitro_backend.h nitro/backend/explain.h nitro/backend/study.h apps/builtin_module.h @own @argument
examples/*             nitro/nitro.h
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
zstd*      store/* tests/*
archive*   store/* tests/*
hwloc*     features/device/* tests/*
png.h      apps/histogram/* tests/*
cupti*     proxies/* tests/*
nvperf*    proxies/* tests/*
nvml*      features/device/* tests/*
cusparse*  variants/* tests/*
cub/*      variants/* tests/*
cuda*      features/device/* variants/* proxies/* apps/* examples/* tests/*
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

# allows RULE FILE NAME: does one of the rule's words match NAME, asked for by FILE?
allows() {
    local word words
    read -ra words <<<"$1"
    for word in "${words[@]}"; do
        if [[ $word == @own ]]; then
            [[ ${3%/*} == "${2%/*}" ]] && return
        elif [[ $word == @argument ]]; then
            [[ $3 =~ ^variants/([^/]+)/([^/]+)\.h$ &&
                ${BASH_REMATCH[1]} == "${BASH_REMATCH[2]%_cuda}" ]] && return
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
        echo "$file:$2: the included name is hidden in a macro"
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
    -o -path './tests/install/consumer' -o -path './examples/sparse' -o \
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
)
if [[ -n $violations ]]; then
    printf '%s\n' "$violations"
    exit 1
fi
echo "includes: all as the tables in tests/check_includes.sh say"
