#!/usr/bin/env bash
# Checks that the C++ and Python interfaces cover the C interface: every function that
# nitro/runtime.h and nitro/tune.h declare is called in nitro/nitro.hpp and in python/nitro. A call of
# NAME_with covers NAME. Python has no use for a replaced clock, nor for C's declarations.
# Usage: check_bindings.sh [ROOT]; prints one line for each function that is missing.
set -euo pipefail

cd -- "${1:-$(dirname -- "${BASH_SOURCE[0]}")/..}"
mapfile -t functions < <(sed -nE '/^NITRO_API /s/^[^(]*\b(nitro_[a-z0-9_]+)\(.*/\1/p' \
    nitro/runtime.h nitro/tune.h)
((${#functions[@]} == $(cat nitro/runtime.h nitro/tune.h | grep -c '^NITRO_API '))) || {
    echo "not every declaration of nitro/runtime.h and nitro/tune.h was understood" >&2
    exit 1
}

missing=0
for binding in nitro/nitro.hpp python/nitro; do
    for function in "${functions[@]}"; do
        [[ $binding == python/* && $function =~ ^nitro_(context_set_clock|computation_declare)$ ]] ||
            grep -rqE "\b$function(_with)?\b" "$binding" || {
            echo "$binding lacks $function" >&2
            missing=$((missing + 1))
        }
    done
done
((missing == 0)) || exit 1
echo "${#functions[@]} functions of the C interface are covered"
