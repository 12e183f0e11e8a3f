#!/usr/bin/env bash
# Compares every C and C++ file with what clang-format makes of it; prints the lines that differ.
# Usage: check_format.sh [ROOT]. To repair: clang-format-14 -i FILE.
set -euo pipefail

cd -- "${1:-$(dirname -- "${BASH_SOURCE[0]}")/..}"
# Other versions format some lines otherwise: Debian 12's is the one that counts.
clang_format=$(command -v clang-format-14) || {
    echo "format: clang-format-14 is not installed; run: ./bootstrap tools" >&2
    exit 1
}
mapfile -d '' -t files < <(find . \( -path './.*' -o -path './build*' \) -prune -o \
    -type f \( -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' \) -print0 | sort -z)
((${#files[@]} > 0)) || { echo "format: no C file found in $PWD" >&2 && exit 1; }
"$clang_format" --dry-run -Werror "${files[@]}"
echo "format: ${#files[@]} files are as clang-format would write them"
