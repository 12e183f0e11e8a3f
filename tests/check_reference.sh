#!/usr/bin/env bash
# The reference is made of a source folder and a build folder with spaces in their names too.
# Usage: check_reference.sh SOURCE_DIR DOXYGEN
set -euo pipefail

folder=$(mktemp -d "${TMPDIR:-/tmp}/nitro-reference.XXXXXX")
trap 'rm -rf -- "$folder"' EXIT
ln -s "$1" "$folder/the source"
mkdir -p "$folder/the build/docs"
sed -e "s|@PROJECT_SOURCE_DIR@|$folder/the source|g" -e "s|@PROJECT_BINARY_DIR@|$folder/the build|g" \
    -e 's|@nitro_docs_warnings@|FAIL_ON_WARNINGS|' -e 's|@[A-Z_]*@|1|g' \
    "$1/docs/Doxyfile.in" >"$folder/Doxyfile"
"$2" "$folder/Doxyfile"
grep -q nitro_select "$folder/the build/docs/man/man3/runtime.h.3"
