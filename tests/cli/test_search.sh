# Searches of tuning-parameter spaces: recorded ones with a known optimum, and C code.
cat >space.json <<'END'
{"ConfigurationSpace": {"TuningParameters": [
  {"Name": "block", "Type": "int", "Values": "[2**i for i in range(4, 11)]"},
  {"Name": "tile", "Type": "int", "Values": "list(range(1, 9))"},
  {"Name": "layout", "Type": "string", "Values": "['rows', 'columns']"}],
 "Conditions": [{"Expression": "block * tile <= 2048", "Parameters": ["block", "tile"]}]}}
END
for layout in rows columns; do
    for block in 16 32 64 128 256 512 1024; do
        for tile in $(seq 8); do
            ((block * tile > 2048)) || echo "$block $tile $layout"
        done
    done
done | awk 'BEGIN { print "block,tile,layout,time_ms,status,total_ms" }
    $1 == 64 && $2 > 5 { print $1 "," $2 "," $3 ",,runtime_error,90"; next }
    { time = 2 + (log($1 / 128) / log(2)) ^ 2 + ($2 - 3) ^ 2 / 4 + ($3 == "rows" ? 0 : 0.5)
      print $1 "," $2 "," $3 "," time ",ok,100" }' >times.csv

title "recorded"
try nitro search space.json --recorded times.csv --budget 0.9 --searcher random --quiet
try nitro search --recorded times.csv --budget 40 --searcher bayes-ei --quiet
try nitro search space.json --recorded times.csv --budget 'time<=2.2' --quiet
nitro search space.json --recorded times.csv --budget 2s --json --quiet >search.json
json_get name configurations searcher seed evaluations resumed seconds interrupted best.configuration.layout <search.json

title "written, and read as recorded"
nitro search space.json --recorded times.csv --budget 500 --searcher mls --output t4.json --output-cache cache.json --quiet
try nitro search space.json --recorded t4.json --budget 500 --searcher random --quiet
try nitro search space.json --recorded cache.json --budget 500 --searcher random --quiet
try nitro search space.json --recorded times.csv --start t4.json --budget 1 --quiet

title "scores"
nitro evaluate --recorded times.csv --searchers random,genetic:population=8,bayes-ei --repeats 20 --quiet |
    sed 's/  *[^ ]*$//; 1,/^$/!d'
nitro evaluate --recorded times.csv --searchers random --repeats 2 --quiet | grep '^mean over'
nitro evaluate --recorded times.csv --searchers random --repeats 5 --json --quiet >scores.json
for seed in 0 0 5; do
    nitro evaluate --recorded times.csv --searchers random --repeats 5 --seed $seed --json --quiet |
        json_get spaces.0.scores.1.mae_ms
done | uniq | wc -l # another seed, another result
json_get repeats spaces.0.best_ms spaces.0.scores.0.searcher spaces.0.scores.1.reached means.1.searcher <scores.json

title "a portfolio as variants, and a search that starts as a model ranks them"
printf 'file,device,input,size\n' >cases.csv
printf 'device,l2_cache_size,peak_gbps\n' >devices.csv
for device in 1 2 3 4; do
    printf 'gpu%d,%d,%d\n' $device $((1024 * device)) $((100 * device)) >>devices.csv
    for size in 1 2 3 4; do
        awk -F , -v device=$device -v size=$size 'NR == 1 { print "block,tile,layout,time_ms"; next }
            { best = device * size < 6 ? 64 : 512
              print $1 "," $2 "," $3 "," size * (1 + (log($1 / best) / log(2)) ^ 2 + $2 / 8 + ($3 == "rows")) }' \
            times.csv >case-$device-$size.csv
        ((device == 4)) || echo "case-$device-$size.csv,gpu$device,size-$size,$size" >>cases.csv
    done
done
nitro store import --devices devices.csv --store portfolio.db --quiet
try nitro evaluate --cases cases.csv --space space.json --portfolio 2 --name space --store portfolio.db
nitro store list --store portfolio.db
nitro tune-from-source space --target gpu4 --store portfolio.db --output gpu4.json --quiet >/dev/null
try nitro search space.json --recorded case-4-1.csv --start gpu4.json --features size=1 --store portfolio.db --budget 1 --quiet
try nitro search space.json --recorded case-4-4.csv --start gpu4.json --features size=4 --store portfolio.db --budget 1 --quiet
try nitro search space.json --recorded case-4-4.csv --start gpu4.json --store portfolio.db --budget 1 --quiet
sed 's/\[2\*\*i for i in range(4, 11)\]/[16, 32]/' space.json >other.json
grep -E "block|^(16|32)," case-4-4.csv >other.csv
try nitro search other.json --recorded other.csv --start gpu4.json --features size=4 --store portfolio.db --quiet
try nitro evaluate --cases times.csv --portfolio 2
nitro evaluate --recorded times.csv --portfolio 1 --quiet | sed 1d
try nitro evaluate --recorded times.csv --portfolio 1 --name 'a b' --store portfolio.db

title "a report of searches"
nitro report --recorded times.csv --output page --searchers auto,random --repeats 5 --quiet
ls page
head -3 page/times-searches.csv
grep -o 'configurations are valid' page/index.html
try nitro report --recorded missing.csv --output page
try nitro report --recorded times.csv --searchers auto,radnom --output page

title "wrong"
try nitro search
try nitro search space.json
try nitro search space.json --recorded times.csv --searcher bayes-ie
try nitro search space.json --recorded times.csv --searcher genetic:size=3 --quiet
try nitro search space.json --recorded times.csv --budget 1.5
try nitro search space.json --recorded times.csv --output missing/t4.json
try nitro search space.json --recorded times.csv --output-cache .
try nitro evaluate --recorded times.csv --searchers random,profile
sed 's/tile <=/tiel <=/' space.json >wrong.json
try nitro search wrong.json --recorded times.csv
sed 's/2048/40/; s/<=/<= 1 \/ (tile - 1) +/' space.json >undefined.json
try nitro search undefined.json --recorded times.csv
sed 's/block \* tile/block % (tile - tile)/' space.json >undefined.json
try nitro search undefined.json --recorded times.csv
sed 's/\[2\*\*i for i in range(4, 11)\]/[16, 32]/' space.json >other.json
try nitro search other.json --recorded times.csv
printf 'a,time_ms,status\n1,,timeout\n2,,runtime_error\n' >invalid.csv
try nitro search --recorded invalid.csv --quiet
nitro search --recorded invalid.csv --json --quiet >invalid.json || echo "status $?"
json_get evaluations invalid best <invalid.json
try nitro evaluate --recorded times.csv invalid.csv --searchers random --repeats 2 --quiet
try nitro report --recorded times.csv invalid.csv --searchers random --repeats 2 --output failed --quiet
try nitro report --recorded wrong.json --output empty
ls empty
printf 'a,b,time_ms,status\n1,2,3,ok\n' >constant.csv
try nitro search --recorded constant.csv --quiet
nitro evaluate --recorded constant.csv --searchers random --repeats 1 --json --quiet >constant.json
json_get spaces.0.scores.1.mae_ms_error spaces.0.scores.1.best_ms_error.20 means.1.mae_to_random <constant.json
nitro evaluate --recorded times.csv constant.csv --searchers random --repeats 2 --quiet | grep '^mean over'
nitro evaluate --recorded times.csv constant.csv --searchers random --repeats 2 --json --quiet >two.json
nitro evaluate --recorded times.csv --searchers random --repeats 2 --json --quiet >one.json
[[ $(json_get means.1.mae_to_random means.1.mdf <one.json) == $(json_get means.1.mae_to_random means.1.mdf <two.json) ]] && echo same
try nitro evaluate --searchers random
try nitro evaluate --recorded times.csv --method forest
try nitro evaluate calc --recorded times.csv
try nitro evaluate --recorded times.csv --portfolio 2 --repeats 5
try nitro report --recorded times.csv --output out --methods forest
try nitro evaluate --recorded missing.csv

title "C code: one of three configurations compiles and is right"
cat >code.json <<'END'
{"ConfigurationSpace": {"TuningParameters": [
  {"Name": "CASE", "Type": "int", "Values": "[1, 2, 3]"}]},
 "KernelSpecification": {"Language": "C", "KernelName": "work", "KernelFile": "code.c"}}
END
cat >code.c <<'END'
#include <stdlib.h>
#if CASE == 1
#error this one does not compile
#endif
void *work_create(void) { return calloc(1, sizeof(int)); }
int work(void *result) { *(int *)result = CASE; return 0; }
int work_check(void *result, char *why, size_t size) { (void)why; (void)size; return *(int *)result != 3; }
void work_free(void *result) { free(result); }
END
nitro search code.json --store s.db --json --quiet >code.out
json_get evaluations invalid resumed best.configuration.CASE <code.out
nitro search code.json --store s.db --json --quiet >code.out
json_get evaluations invalid resumed best.configuration.CASE <code.out
try nitro store list --store s.db
sed -i 's/CASE; return/CASE + 0; return/' code.c
nitro search code.json --store s.db --json --quiet >code.out
json_get resumed best.configuration.CASE <code.out
sed 's/"code.c"/"parts.c", "CompilerOptions": ["-Ifolders", "-Iheaders"]/' code.json >parts.json
mkdir -p headers folders/outer.h # a folder is no header
printf '#if CASE == 3\n #  include "case.h"\n#endif\n#include <outer.h>\n' | cat - code.c >parts.c
echo '#include "inner.h"' >headers/outer.h
touch case.h headers/inner.h
for header in case.h headers/inner.h; do
    for _ in changed unchanged; do
        nitro search parts.json --store s.db --json --quiet >code.out 2>/dev/null
        json_get resumed best.configuration.CASE <code.out
    done
    echo '#define PART' >$header
    nitro search parts.json --store s.db --json --quiet >code.out 2>/dev/null
    json_get resumed best.configuration.CASE <code.out
done
CC=false nitro search code.json --store cc.db --quiet >/dev/null 2>&1 || echo "status $?"
nitro search code.json --store cc.db --json --quiet >code.out # by the compiler that works
json_get evaluations invalid resumed <code.out
sed 's/CASE/OTHER/' code.json >renamed.json
try nitro search renamed.json --name code --store s.db --quiet
sed -i '/work_create/d' code.c
try nitro search code.json --no-store --quiet

title "more configurations than an integer of JSON can count"
cat >large.json <<END
{"ConfigurationSpace": {"TuningParameters": [
  $(for p in $(seq 19); do echo "{\"Name\": \"P$p\", \"Type\": \"int\", \"Values\": \"list(range(10))\"},"; done)
  {"Name": "CASE", "Type": "int", "Values": [2]}]},
 "KernelSpecification": {"Language": "C", "KernelName": "work", "KernelFile": "large.c"}}
END
cat >large.c <<'END'
void *work_create(void) { static int any; return &any; }
int work(void *any) { *(int *)any = P1; return 0; }
END
nitro search large.json --no-store --budget 1 --seed 18446744073709551615 --json --quiet >large.out
json_get configurations seed <large.out

title "SIGKILL: what was evaluated is not evaluated again"
cat >slow.json <<'END'
{"ConfigurationSpace": {"TuningParameters": [
  {"Name": "N", "Type": "int", "Values": "list(range(1, 41))"}]},
 "KernelSpecification": {"Language": "C", "KernelName": "work", "KernelFile": "slow.c"}}
END
cat >slow.c <<'END'
#include <stdlib.h>
void *work_create(void) { return calloc(1, sizeof(int)); }
int work(void *result) { *(volatile int *)result = N; return 0; }
void work_free(void *result) { free(result); }
END
count() {
    nitro store info --store $1 --json 2>/dev/null | json_get samples | sed -n 's/^samples: \([0-9]*\)$/\1/p'
}
nitro search slow.json --store slow.db --searcher random --quiet >/dev/null 2>&1 &
for _ in $(seq 600); do
    before=$(count slow.db)
    ((${before:-0} >= 3)) && break
    sleep 0.05
done
{ kill -9 $! && wait $!; } 2>/dev/null
before=$(count slow.db)
((before >= 3 && before < 40)) || echo "killed too early or late: $before evaluations"
nitro store verify --store slow.db
nitro search slow.json --store slow.db --searcher random --json --quiet >slow.out
json_get evaluations invalid <slow.out
resumed=$(json_get resumed <slow.out | sed 's/.*: //')
((resumed == before)) || echo "$before evaluations were stored, but $resumed were found"

mkdir left
cat >leaving-cc <<'END'
#!/bin/sh
mktemp "$TMPDIR/ccXXXXXX" >/dev/null # as a compiler that is killed
exec cc "$@"
END
chmod +x leaving-cc
export TMPDIR=$PWD/left CC=$PWD/leaving-cc
nitro search slow.json --no-store --quiet >/dev/null 2>&1 &
for _ in $(seq 600); do
    [[ $(echo left/*/*) == left/nitro-search-??????/* ]] && break
    sleep 0.05
done
{ kill -9 $! && wait $!; } 2>/dev/null
ls left | grep -c nitro
flock left/nitro-* true # until its children have ended, and the compiler, which writes to the folder
while grep -qsa "$PWD/left/nitro-searc[h]" /proc/[0-9]*/cmdline; do sleep 0.05; done
mkdir left/nitro-search-YOUNGR left/nitro-search-LOCKED left/nitro-search-another
touch -d '1 hour ago' left/nitro-search-*
touch left/nitro-search-YOUNGR
{ flock 9 && nitro search slow.json --no-store --budget 1 --quiet >/dev/null; } 9<left/nitro-search-LOCKED
ls left # nothing of the compiler's
unset TMPDIR CC

title "SIGINT: what was found so far is printed, and the exit code says that it was not all"
nitro search slow.json --store interrupted.db --searcher random >interrupted.txt 2>messages.txt &
for _ in $(seq 600); do
    before=$(count interrupted.db)
    ((${before:-0} >= 3)) && break
    sleep 0.05
done
kill -INT $!
wait $!
echo "exit $?"
cut -d ' ' -f 1 interrupted.txt
sed -n '/interrupted/p' messages.txt

title "OpenMP's threads do not spin for long while code is timed"
cat >spin.c <<'END'
#include <stdlib.h>
void *spin_create(void) { return getenv("GOMP_SPINCOUNT") ? malloc(X) : NULL; }
int spin(void *argument) { *(volatile char *)argument = X; return 0; }
END
cat >spin.json <<'END'
{"ConfigurationSpace": {"TuningParameters": [{"Name": "X", "Type": "int", "Values": [1]}]},
 "KernelSpecification": {"Language": "C", "KernelName": "spin", "KernelFile": "spin.c"}}
END
env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT nitro search spin.json --store spin.db --quiet --json | json_get best.configuration.X
