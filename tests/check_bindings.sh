#!/usr/bin/env bash
# Checks that the C++ interface covers the C interface: every function that nitro/runtime.h and
# nitro/tune.h declare is called in nitro/nitro.hpp. A call of NAME_with covers NAME.
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
for binding in nitro/nitro.hpp; do
    for function in "${functions[@]}"; do
        grep -rqE "\b$function(_with)?\b" "$binding" || {
            echo "$binding lacks $function" >&2
            missing=$((missing + 1))
        }
    done
done
((missing == 0)) || exit 1
echo "${#functions[@]} functions of the C interface are covered"
