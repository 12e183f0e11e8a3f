#!/usr/bin/env bash
# Shows that check_includes.sh can fail: every rule on a tree that breaks it, and none on a good one.
# Usage: test_check_includes.sh SOURCE_DIR
set -euo pipefail

check=$1/tests/check_includes.sh
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
mkdir -p "$work"/{nitro,variants/{a,b},features/{input,device},dfs,store,apps,build,tests}
for header in nitro/nitro.h nitro/nitro_backend.h nitro/runtime/nitro_internal.h variants/a/a.h \
    variants/a/private.h variants/b/b.h nitro/repository/store_internal.h apps/apps.h; do
    echo '#include <stddef.h>' >"$work/$header"
done

# accepts FILE INCLUDE... / refuses FILE INCLUDE REASON: write the file, check, remove it.
accepts() {
    local file=$1
    shift
    printf '#include %s\n' "$@" >"$work/$file"
    "$check" "$work" >"$work/out" || { echo "FAILED: refused in $file:" && cat "$work/out" && exit 1; }
    rm "$work/$file"
}

refuses() {
    printf '/* a comment */\n#include %s\n' "$2" >"$work/$1"
    if "$check" "$work" >"$work/out"; then
        echo "FAILED: accepted $2 in $1" && exit 1
    fi
    if ! grep -qF "$1:2: " "$work/out" || ! grep -qF "$3" "$work/out"; then
        echo "FAILED: expected $1:2 and '$3' in:" && cat "$work/out" && exit 1
    fi
    rm "$work/$1"
}

accepts nitro/good.c '"nitro/runtime/nitro_internal.h"' '<libsvm/svm.h>' '<stdio.h>' '<jansson.h>'
accepts variants/a/good.c '"nitro/nitro.h"' '"variants/a/private.h"' '<omp.h>'
accepts features/input/good.c '"nitro/nitro.h"' '"variants/a/a.h"'
accepts features/device/good.c '"nitro/nitro_backend.h"' '<hwloc.h>' '<hwloc/helper.h>'
accepts store/good.c '"nitro/repository/store_internal.h"' '<sqlite3.h>'
accepts apps/good.c '"nitro/nitro_backend.h"' '"apps/apps.h"' '"variants/a/a.h"'
accepts tests/good.c '"nitro/runtime/nitro_internal.h"' '"unit/unit.h"'
accepts build/generated.c '"nitro/repository/store_internal.h"'

refuses nitro/nitro_backend.h '"nitro/runtime/nitro_internal.h"' "may not include"
echo '#include "nitro/nitro.h"' >"$work/nitro/nitro_backend.h"
refuses nitro/bad.c '"nitro/repository/store_internal.h"' "may not include"
refuses nitro/bad.h '<sqlite3.h>' "store/*"
refuses variants/a/bad.c '"nitro/nitro_backend.h"' "may not include"
refuses variants/a/bad.cu '"variants/b/b.h"' "may not include"
refuses features/input/bad.c '"variants/a/private.h"' "may not include"
refuses features/input/bad.c '<hwloc.h>' "features/device/*"
refuses features/device/bad.c '"nitro/runtime/nitro_internal.h"' "may not include"
refuses features/device/bad.c '<nitro/runtime/nitro_internal.h>' "may not include"
refuses dfs/bad.c '"variants/a/a.h"' "may not include"
refuses dfs/bad.c '<libsvm/svm.h>' "nitro/*"
refuses store/bad.c '"nitro/runtime/nitro_internal.h"' "may not include"
refuses store/bad.c '"store_internal.h"' "no such file from the repository's root"
refuses store/bad.c '"../nitro/nitro_internal.h"' "repository's root"
refuses store/bad.c 'HEADER' "macro"
refuses apps/bad.c '"nitro/repository/store_internal.h"' "may not include"
refuses apps/bad.c '"variants/a/private.h"' "may not include"
mkdir "$work/elsewhere"
refuses elsewhere/bad.c '"nitro/nitro.h"' "no rule"

echo "include check: refuses what it should"
