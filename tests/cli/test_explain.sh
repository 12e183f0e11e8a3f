# Two sources and a target; small is best below a limit of x.
cat >devices.csv <<'END'
device,peak_gbps,sm_count
gpu1,100,10
gpu2,200,12
gpu3,150,11
END
for n in 1 2 3; do
    {
        echo "input,x,y,time_ms:small,time_ms:large,time_ms:odd"
        for i in $(seq 60); do
            if ((i < 10 + 10 * n)); then echo "in$i,$i,7,1,2,9"
            else echo "in$i,$i,7,3,1,9"; fi
        done
    } >gpu$n.csv
    nitro store import --store s.db --computation calc --device gpu$n --samples gpu$n.csv --devices devices.csv
done
nitro tune-from-source calc --store s.db --target gpu3 --sources gpu1,gpu2 --output m.json --quiet >/dev/null
nitro tune-from-source calc --store s.db --target gpu3 --sources gpu1,gpu2 --strategy svm --dfs none --output svm.json --quiet >/dev/null

# Scores and distances have many digits: shown as places.
explain() {
    try nitro explain "$@" | sed -E 's/ -?[0-9]+\.[0-9]{3,4}( |$)/ N\1/g; s/  +N/ N/g'
}
title "the model alone"
explain --model m.json --features x=50,y=7

title "with the samples that it was learnt from"
explain --model m.json --features x=5 --features y=7 --store s.db

title "samples of a computation that has gained a feature and a variant, and lost one: matched by name"
for n in 1 2; do
    awk -F, 'BEGIN { OFS = "," } NR == 1 { print "input,z,y,x,time_ms:new,time_ms:large,time_ms:small" }
        NR > 1 { print $1, NR, $3, $2, 0.5, $5, $4 }' gpu$n.csv >new$n.csv
    nitro store import --store new.db --computation calc --device gpu$n --samples new$n.csv --devices devices.csv --quiet
done
explain --model m.json --features x=5,y=7 --store new.db
nitro explain --model m.json --features x=5,y=7 --store new.db --json |
    json_get store_changed neighbours.0.input neighbours.0.best neighbours.0.times_ms

title "an SVM says which is better, not by how much; device features are columns"
explain --model svm.json --features x=50,y=7

title "outside what it was trained on"
nitro explain --model m.json --features x=500,y=7 | sed -n '1,3p; /^[a-z]*  *x  /p'
nitro explain --model m.json --features x=50,y=1000 | sed -n '1,3p; /^[a-z]*  *y  /p'

nitro predict --model m.json --features x=500,y=7 | sed -n '1,3p'
nitro predict --model m.json --features x=500,y=7 --json | json_get reason outside
nitro predict --model m.json --features x=50,y=1000 --json | json_get reason outside
awk -v OFS=, 'BEGIN { print "input,a,b,c,d,e,f,time_ms:small,time_ms:large"
    for (i = 1; i <= 60; i++) {
        b = i * 7 % 60
        print "in" i, i, b, i * 11 % 60, i * 13 % 60, i * 17 % 60, i * 19 % 60, b < 30 ? 1 : 2, b < 30 ? 2 : 1
    } }' >six.csv
nitro store import --store six.db --computation six --device gpu1 --samples six.csv --devices devices.csv >imported
nitro learn six --store six.db --device gpu1 --output six.json --quiet >/dev/null
nitro predict --model six.json --features a=900,b=900,c=900,d=900,e=900,f=900 | grep '^reason'

title "JSON"
nitro explain --model m.json --features x=50,y=7 --store s.db --json >e.json
json_get computation target variant reason runner_up ranking.# ranking.0.variant features.0.name \
    features.0.kind features.0.low features.0.high store_changed sources.# sources.0.device \
    sources.0.agree neighbours.# neighbours.0.input neighbours.0.times_ms.large <e.json
nitro explain --model m.json --features x=50,y=7 --json | json_get variant ranking.0.expected_ratio neighbours
# its source is its target, and of so few inputs no tree tests a feature
printf 'input,x,time_ms:small,time_ms:large\nin1,1,1,2\nin2,2,2,1\n' >few.csv
nitro store import --store few.db --computation few --device gpu1 --samples few.csv --devices devices.csv >imported
nitro learn few --store few.db --device gpu1 --output few.json --quiet >learnt 2>&1
nitro explain --model few.json --features x=1 --store few.db --json |
    json_get features.0.used features.0.low features.0.high sources.0.device sources.0.similarity

title "an input file, by the computation's code"
nitro tune spmv --generate 20 --device model:k20c --store m.db --output k20c.json --quiet >/dev/null
cat >A.mtx <<'END'
%%MatrixMarket matrix coordinate real general
3 3 3
1 1 1.0
2 2 1.0
3 1 2.0
END
nitro explain --model k20c.json --input A.mtx | sed -n '/^[a-z]*  *rows  /p' | cut -c 1-60
nitro explain --model k20c.json spmv --input A.mtx --store m.db --json | json_get target features.0.value neighbours.#

title "inputs without an explanation"
try nitro explain --model m.json
try nitro explain --model m.json --features x=1,y=7 --input A.mtx
try nitro explain --model m.json --features x=1
try nitro explain --model m.json --features x=1,z=7
try nitro explain --model missing.json --features x=1
try nitro explain --model m.json --input A.mtx
try nitro explain --model m.json spmv --input A.mtx
try nitro explain --model m.json --features x=1,y=7 --store missing.db
try nitro explain --model k20c.json --input missing.mtx
try nitro explain --model m.json --features x=1,y=7 --store m.db
nitro store import --store s.db --computation calc --device gpu2 --samples gpu1.csv --replace --quiet
nitro explain --model m.json --features x=1,y=7 --store s.db 2>&1 >/dev/null
