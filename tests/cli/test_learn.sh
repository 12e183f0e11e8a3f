# Three recorded devices; which variant is best follows from x, and on gpu3 from its bandwidth too.
make_samples() { # DEVICE LIMIT
    echo "input,x,y,time_ms:small,time_ms:large"
    for i in $(seq 40); do
        if ((i < $2)); then
            echo "in$i,$i,$((i * i)),1,2"
        else
            echo "in$i,$i,$((i * i)),2,1"
        fi
    done
}
cat >devices.csv <<'END'
device,peak_gbps,sm_count
gpu1,100,10
gpu2,200,12
gpu3,300,14
new,250,13
END
for n in 1 2 3; do
    make_samples gpu$n $((10 + 2 * n)) >gpu$n.csv
    nitro store import --store s.db --computation calc --device gpu$n --samples gpu$n.csv --devices devices.csv
done

title "a model for a device that is in the store but was not measured"
learn() {
    try nitro tune-from-source calc --store s.db "$@"
}
learn --target gpu3 --sources gpu1,gpu2 --output m.json
learn --target gpu3 --sources gpu1,gpu2 --strategy svm --output paper.json
nitro tune-from-source calc --store s.db --target gpu3 --sources gpu2,gpu1 --threads 1 --output m2.json --json |
    json_get computation target model strategy provenance.sources.0.device
cmp m.json m2.json

title "a few measured inputs correct it"
learn --target gpu3 --strategy forest --measure 4 --output measured.json
nitro tune-from-source calc --store s.db --target gpu3 --strategy forest --measure 4 --output measured.json --json |
    json_get provenance.measured.# provenance.predicted_quality.distance_features.0
learn --target gpu3 --strategy svm --measure 4 --output bad.json
learn --target gpu3 --generate 5 --output bad.json
nitro tune spmv --generate 8 --device model:k20c,model:gtx-980 --store m.db --no-model --quiet >/dev/null
nitro tune-from-source spmv --store m.db --target model:c2075 --strategy forest --measure 3 --generate 8 --output c2075.json --quiet | sed -n '/^measured/s/:.*//p'
nitro store list --store m.db | sed -n 's/  */ /g; /c2075/p'

title "one source gives no predicted quality; the guard may be turned off"
learn --target gpu3 --sources gpu1 --strategy forest --output one.json
learn --target gpu3 --sources gpu1,gpu2 --strategy svm --no-guard --output pure.json

title "device features by a search over the sources"
printf 'gpu4,400,10\ngpu5,500,12\n' >>devices.csv
for n in 1 2 3 4 5; do
    make_samples gpu$n $((7 * n)) >search$n.csv
    nitro store import --store four.db --computation calc --device gpu$n --samples search$n.csv --devices devices.csv
done
search() {
    try nitro tune-from-source calc --store four.db --target gpu4 --strategy svm "$@"
}
search --dfs cv --output cv.json
search --dfs cv --k 2 --max-subset 1 --output cv2.json
search --dfs cv --sources gpu1 --output one.json
search --dfs both --output both.json
nitro tune-from-source calc --store four.db --target gpu4 --strategy svm --dfs both --threads 1 --output both2.json --json 2>/dev/null |
    json_get provenance.dfs provenance.dfs_report.profile.skipped provenance.dfs_report.cv.chosen.0
cmp both.json both2.json
search --dfs cv --k 0 --output bad.json
search --k 2 --output bad.json
search --dfs profile --max-subset 1 --output bad.json
echo "far,1000,11" >>devices.csv
make_samples far 20 >far.csv
nitro store import --store four.db --computation calc --device far --samples far.csv --devices devices.csv
try nitro tune-from-source calc --store four.db --target far --strategy svm --dfs cv --output far.json

title "predict"
try nitro predict --model m.json --features x=5,y=25
try nitro predict --model m.json --features y=900 --features x=30
nitro predict --model m.json --features=x=30,y=900 --json | json_get computation target variant reason ranking.0.variant ranking.#
nitro predict --model m.json --features=x=1e6,y=9 --json | json_get variant reason
try nitro predict --model m.json --features x=5
try nitro predict --model m.json --features x=5,y=25,z=1
try nitro predict --model m.json --features x=5,y=25,x=6
try nitro predict --model m.json --features x=5,y=nan
try nitro predict --model m.json --features x=5,y=1e999
try nitro predict --model m.json --features x=5,y
try nitro predict --model m.json --features x=5,y=
try nitro predict --model missing.json --features x=5,y=25

title "a device's own samples: columns align, whatever the names' lengths"
sed 's/large/large_of_a_variant_with_a_long_name/' gpu1.csv >long.csv
nitro store import --store long.db --computation calc --device gpu1 --samples long.csv --devices devices.csv --quiet
nitro learn calc --store long.db --device gpu1 --output own.json | grep 'x the best'

title "where a model is from: the sources, or how many"
models=$XDG_DATA_HOME/nitro/models && mkdir -p "$models"
nitro tune spmv --generate 8 --device model:k20c,model:gtx-980,model:c2075,model:gtx-480 --store four.db --no-model --quiet >/dev/null
for sources in model:k20c,model:c2075,model:gtx-480 all; do
    nitro tune-from-source spmv --store four.db --target host --sources $sources --output "$models/spmv.json" --quiet >/dev/null 2>&1
    nitro models spmv --json | json_get 0.learnt_from
done
rm "$models/spmv.json"

title "what cannot be learnt"
learn --target gpu3 --sources gpu3 --output bad.json
learn --target gpu3 --sources gpu9 --output bad.json
learn --target unknown --output bad.json
learn --target gpu3 --output no/such/folder/bad.json
try nitro tune-from-source clac --store s.db --target gpu3 --output bad.json
try nitro tune-from-source calc --store missing.db --target gpu3 --output bad.json
test -e bad.json && echo "bad.json was made"

printf 'input,x,y,time_ms:small,time_ms:large\nin1,1,1,,2\n' >few.csv
nitro store import --store few.db --computation calc --device gpu1 --samples few.csv --devices devices.csv >/dev/null
try nitro learn calc --store few.db --device gpu1 --json
sed '2,$s/^\([^,]*\),[0-9.]*/\1,0/' gpu1.csv >zeros.csv
nitro store import --store zeros.db --computation calc --device gpu1 --samples zeros.csv --devices devices.csv >/dev/null
echo '{"format": "nitro-computation", "version": 1, "computation": "calc", "features": [{"name": "x", "unit": "1", "scale": "log"}, {"name": "y", "unit": "1"}]}' >log.json
nitro store describe calc log.json --store zeros.db
nitro store import --store zeros.db --devices devices.csv >/dev/null
try nitro learn calc --store zeros.db --device gpu1
try nitro tune-from-source calc --store zeros.db --target gpu3 --sources gpu1 --dfs cv --strategy svm --output bad.json
cp s.db once.db
nitro store import --store once.db --computation calc --device gpu3 --samples <(sed '2,$s/,[^,]*$/,/' gpu1.csv) --replace --quiet >/dev/null
try nitro tune-from-source calc --store once.db --target gpu3 --sources gpu1,gpu2 --measure 2 --output bad.json

title "a model file cut at any byte, or with one byte changed, is refused"
size=$(wc -c <m.json)
accepted=0
for ((cut = 0; cut < size; cut += cut < 40 ? 1 : 1 + size / 50)); do
    head -c "$cut" m.json >cut.json
    nitro predict --model cut.json --features x=5,y=25 >/dev/null 2>err.txt && ((accepted++))
    [[ $? -le 2 ]] && grep -q '^nitro predict: ' err.txt || echo "cut at $cut: $(cat err.txt)"
done
for ((place = 0; place < size - 1; place += 1 + size / 50)); do
    { head -c "$place" m.json; printf '#'; tail -c +$((place + 2)) m.json; } >changed.json
    nitro predict --model changed.json --features x=5,y=25 >/dev/null 2>err.txt && ((accepted++))
done
echo "$accepted of them were accepted"
head -c 100 m.json >cut.json
try nitro predict --model cut.json --features x=5,y=25
sed 's/gpu3/gpu4/' m.json >changed.json
try nitro predict --model changed.json --features x=5,y=25
echo '{}' >other.json
try nitro predict --model other.json --features x=5,y=25

title "times whose ratios exceed the largest number"
{
    echo "input,x,time_ms:small,time_ms:large"
    for i in $(seq 12); do
        ((i % 2)) && echo "in$i,$i,1e300,5e-324" || echo "in$i,$i,5e-324,1e300"
    done
} >extreme.csv
nitro store import --store extreme.db --computation extreme --device gpu1 --samples extreme.csv \
    --devices devices.csv --quiet >/dev/null
nitro learn extreme --store extreme.db --device gpu1 --output extreme.json --quiet >/dev/null
echo "exit $?"
json_get computation <extreme.json
