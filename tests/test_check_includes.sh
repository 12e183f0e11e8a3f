#!/usr/bin/env bash
# Shows that check_includes.sh can fail: every rule on a tree that breaks it, and none on a good one.
# Usage: test_check_includes.sh SOURCE_DIR
set -euo pipefail

check=$1/tests/check_includes.sh
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
mkdir -p "$work"/{nitro/{base,runtime/model,models,learn/svm,evaluate,backend},variants/{a,b}} \
    "$work"/{features/{input,device/host},dfs,store/{redis,sqlite},proxies/kernels,apps/cli/store,build,tests}
for header in nitro/{nitro,runtime,tune,nitro_backend}.h nitro/backend/basics.h nitro/base/json.h \
    nitro/runtime/{computation.h,model/model.h} nitro/models/binary.h nitro/learn/svm/svm.h \
    variants/a/{a,private}.h variants/b/b.h store/redis/redis.h apps/apps.h apps/cli/output.h; do
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

accepts nitro/evaluate/good.c '"nitro/learn/svm/svm.h"' '<libsvm/svm.h>' '<stdio.h>' '<jansson.h>'
accepts nitro/runtime/good.c '"nitro/models/binary.h"' '"nitro/runtime/model/model.h"' \
    '"nitro/runtime/computation.h"' '"nitro/nitro_backend.h"'
accepts nitro/models/good.c '"nitro/runtime/model/model.h"' '"nitro/base/json.h"'
accepts variants/a/good.c '"nitro/nitro.h"' '"variants/a/private.h"' '<omp.h>'
accepts features/input/good.c '"nitro/nitro.h"' '"variants/a/a.h"'
accepts features/device/host/good.c '"nitro/nitro_backend.h"' '"nitro/base/json.h"' '<hwloc.h>' '<hwloc/helper.h>'
accepts store/redis/good.c '"nitro/backend/basics.h"' '"store/redis/redis.h"' '<hiredis.h>'
accepts apps/good.c '"nitro/nitro_backend.h"' '"apps/apps.h"' '"variants/a/a.h"'
accepts apps/cli/store/good.c '"apps/cli/output.h"'
accepts tests/good.c '"nitro/runtime/computation.h"' '"unit/unit.h"'
accepts build/generated.c '"nitro/runtime/computation.h"'

refuses nitro/nitro_backend.h '"nitro/base/json.h"' "may not include"
echo '#include <stddef.h>' >"$work/nitro/nitro_backend.h"
refuses nitro/backend/bad.h '"nitro/base/json.h"' "may not include"
refuses nitro/runtime.h '"nitro/tune.h"' "may not include"
echo '#include <stddef.h>' >"$work/nitro/runtime.h"
refuses nitro/base/bad.c '"nitro/runtime/computation.h"' "may not include"
refuses nitro/runtime/model/bad.c '"nitro/runtime/computation.h"' "may not include"
refuses nitro/models/bad.c '"nitro/learn/svm/svm.h"' "may not include"
refuses nitro/base/bad.c '"store/redis/redis.h"' "may not include"
refuses nitro/base/bad.c '"variants/a/a.h"' "may not include"
refuses nitro/base/bad.h '<sqlite3.h>' "store/*"
refuses nitro/base/bad.c '<stdlib.h> /* getenv */' "secure_getenv"
accepts apps/good.c '<stdlib.h> /* getenv */'
mkdir "$work/nitro/annex"
refuses nitro/annex/bad.c '"nitro/base/json.h"' "may not include"
refuses variants/a/bad.c '"nitro/nitro_backend.h"' "may not include"
refuses variants/a/bad.cu '"variants/b/b.h"' "may not include"
refuses features/input/bad.c '"variants/a/private.h"' "may not include"
refuses features/input/bad.c '<hwloc.h>' "features/device/*"
refuses features/device/host/bad.c '"nitro/runtime/computation.h"' "may not include"
refuses features/device/host/bad.c '<nitro/runtime/computation.h>' "may not include"
refuses dfs/bad.c '"variants/a/a.h"' "may not include"
refuses dfs/bad.c '<libsvm/svm.h>' "nitro/*"
refuses proxies/kernels/bad.c '"nitro/base/json.h"' "may not include"
refuses store/sqlite/bad.c '"store/redis/redis.h"' "may not include"
refuses store/sqlite/bad.c '"nitro/base/json.h"' "may not include"
refuses store/redis/bad.c '"redis.h"' "no such file from the repository's root"
refuses store/redis/bad.c '"../redis/redis.h"' "repository's root"
refuses store/redis/bad.c 'HEADER' "macro"
refuses apps/bad.c '"nitro/base/json.h"' "may not include"
refuses apps/bad.c '"variants/a/private.h"' "may not include"
mkdir "$work/elsewhere"
refuses elsewhere/bad.c '"nitro/nitro.h"' "no rule"

echo "include check: refuses what it should"
