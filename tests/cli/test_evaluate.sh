# Devices whose best variant is known by construction: small below a limit of x, large from it on.
cat >devices.csv <<'END'
device,peak_gbps,generation
gpu1,100,1
gpu2,200,1
gpu3,300,2
END
for n in 1 2 3; do
    {
        echo "input,x,time_ms:small,time_ms:large"
        for i in $(seq 60); do
            ((i <= 20)) && echo "in$i,$i,1,4" || echo "in$i,$i,4,1"
        done
    } >gpu$n.csv
    nitro store import --store s.db --computation calc --device gpu$n --samples gpu$n.csv --devices devices.csv
done
seq -f 'in%g' 1 2 59 >train.txt
seq -f 'in%g' 2 2 60 >test.txt
printf 'in2\r\n\r\nin60\r\n' >two.txt

title "tables"
try nitro evaluate calc --store s.db --train train.txt --test test.txt --quiet
try nitro evaluate calc --store s.db --train train.txt --test two.txt --targets gpu2 --method native,fixed,random --format csv --quiet
try nitro evaluate calc --store s.db --targets gpu1 --method fixed --uses 5 --quiet

title "groups and generations"
try nitro evaluate calc --store s.db --group-by 0 --method fixed --targets gpu1 --quiet
try nitro evaluate calc --store s.db --group-by n --method fixed --quiet
try nitro evaluate calc --store s.db --group-by / --method fixed --targets gpu1 --quiet
try nitro evaluate calc --store s.db --targets gpu1,gpu3 --method fixed --without-generation --quiet
try nitro evaluate calc --store s.db --targets gpu1 --sources gpu2 --method fixed --without-generation --quiet

title "curves: gpu4 has one training input less than gpu1"
cp s.db curves.db
nitro store import --store curves.db --computation calc --device gpu4 --samples <(sed 4d gpu3.csv) --devices <(sed 's/^gpu3/gpu4/' devices.csv) >/dev/null
try nitro evaluate calc --store curves.db --train train.txt --test test.txt --targets gpu1,gpu4 --method forest,native --measure 2,30,all --quiet

title "quality against the number of sources"
try nitro evaluate calc --store curves.db --train train.txt --test test.txt --targets gpu1 --method fixed,auto --curve sources --quiet
try nitro evaluate calc --store curves.db --train train.txt --test test.txt --targets gpu1 --curve sources --format csv --quiet
nitro evaluate calc --store curves.db --train train.txt --test test.txt --targets gpu1 --curve sources --json --quiet >curve.json
json_get '#' 2.order 2.sources 2.added 2.mean 2.predicted <curve.json
try nitro evaluate calc --store curves.db --curve sources --measure 2
try nitro evaluate calc --store curves.db --picture here
nitro evaluate calc --store curves.db --targets gpu1 --method fixed --curve sources --picture here --quiet >/dev/null 2>&1
grep -q '<svg' here/calc-source-curve.svg || echo "no picture"
try nitro evaluate calc --store curves.db --curve sources --picture curves.db
try nitro evaluate calc --store curves.db --targets gpu99 --curve sources --picture new --quiet
[ -d new ] && echo "a folder for nothing"
try nitro evaluate calc --store curves.db --train train.txt --test test.txt --targets gpu1,gpu4 --sources gpu1 --method fixed --curve sources

title "more device features than a model takes, and than CV-DFS searches"
awk '{ printf "%s", $0; for (i = 1; i <= 65; i++) printf (NR == 1 ? ",more%d" : ",%d"), i * NR; print "" }' devices.csv >more.csv
nitro store import --store curves.db --devices more.csv >/dev/null
try nitro evaluate calc --store curves.db --train train.txt --test test.txt --targets gpu1 --sources gpu2,gpu3 --method fixed,full,cvdfs,guarded
try nitro tune-from-source calc --store curves.db --target gpu1 --sources gpu2,gpu3 --dfs cv --strategy svm --max-subset 1 --output more.json --quiet

title "this machine by its short name"
here=$(nitro devices host --json | json_get 0.id | cut -d \" -f 2)
sed "s/^gpu3/$here/" devices.csv >here.csv
nitro store import --store here.db --devices here.csv >/dev/null
for device in gpu1 gpu2 here; do
    nitro store import --store here.db --computation calc --device "${device/here/$here}" --samples gpu1.csv >/dev/null
done
nitro evaluate calc --store here.db --targets host --method fixed --quiet | sed -n 2p
nitro evaluate calc --store here.db --targets gpu1 --sources host --method fixed --quiet | sed -n 2p
nitro evaluate calc --store here.db --targets gpu1 --exclude host --method fixed --quiet | sed -n 2p
nitro report calc --store here.db --targets host --sources gpu1 --quick --output here --quiet && wc -l <here/calc-devices.csv
nitro tune-from-source calc --store here.db --target gpu1 --sources host --output here.json --json 2>/dev/null |
    json_get provenance.sources.0.device
try nitro evaluate calc --store here.db --targets hots --method fixed --quiet

title "JSON"
nitro evaluate calc --store s.db --targets gpu2,gpu3 --sources gpu1,gpu2 --method pooled,random --train train.txt --json --quiet >e.json
json_get '#' 0 1.method 2.target 2.sources <e.json
nitro evaluate calc --store s.db --format json --seed 7 --quiet >a.json
nitro evaluate calc --store s.db --json --seed 7 --threads 1 >b.json 2>err.txt
cmp a.json b.json
tail -n 1 err.txt | sed 's/, [0-9.e+]*\/s.*//'

title "modelled devices are called so"
nitro tune spmv --generate 12 --device model:k20c,model:gtx-980,model:c2075 --store m.db --quiet --no-model | sed -n '/^spmv/p'
nitro evaluate spmv --store m.db --quiet --method random,fixed | cut -c 1-37
nitro evaluate spmv --store m.db --quiet --method random --json | json_get '#' 0.target 0.modelled 0.inputs
nitro evaluate spmv --store m.db --quiet --method random --format csv | sed 's/,[0-9.,]*,/,...,/'

title "the largest fifth: small and large ones have the same best variants, but gpu3's largest differ"
sed 's/^\(in5.*\),4,1$/\1,1,2/' gpu3.csv >gpu5.csv
cp s.db sizes.db
nitro store import --store sizes.db --computation calc --device gpu5 --samples gpu5.csv --devices <(sed 's/^gpu3/gpu5/' devices.csv) >/dev/null
try nitro evaluate calc --store sizes.db --extrapolate --targets gpu1,gpu5 --quiet
try nitro evaluate calc --store s.db --extrapolate --size-feature x --targets gpu1 --method own-guarded --json --quiet
try nitro evaluate calc --store s.db --extrapolate --size-feature y --quiet
try nitro evaluate calc --store s.db --extrapolate --train train.txt --quiet
try nitro evaluate calc --store s.db --extrapolate --group-by / --quiet
try nitro evaluate calc --store s.db --extrapolate --train-fraction 0.5 --quiet
try nitro evaluate calc --store s.db --train train.txt --train-fraction 0.5 --quiet
try nitro evaluate calc --store s.db --train train.txt --group-by / --quiet
for i in $(seq 20); do
    ((i > 1)) || echo "input,size,same,time_ms:a,time_ms:b"
    echo "in$i,$((4 ** (i / 6))),1,$i,9"
done >levels.csv
nitro store import --store levels.db --computation levels --device gpu1 --samples levels.csv >/dev/null 2>&1
# sizes 1, 4, 16 and 64 of 5, 6, 6 and 3 inputs: whole sizes are held out
for feature in size same; do
    try nitro evaluate levels --store levels.db --extrapolate --size-feature $feature --method own --verbose |
        sed '/training inputs\|measure more\|exit/!d'
done
# a feature that is constant orders nothing, though the other one falls with the times
awk -F, -v OFS=, '{ print $1, $3, NR == 1 ? "rate" : 100 - NR, $4, $5 }' levels.csv >rates.csv
nitro store import --store levels.db --computation rates --device gpu1 --samples rates.csv >/dev/null 2>&1
try nitro evaluate rates --store levels.db --extrapolate --method own --verbose | sed '/training inputs\|measure\|exit/!d'

title "what cannot be evaluated"
try nitro evaluate calk --store s.db
try nitro evaluate calk --store s.db --targets gpu1
try nitro evaluate calc --store s.db --targets gpu9
try nitro evaluate calc --store s.db --sources gpu9
try nitro evaluate calc --store s.db --train missing.txt
try nitro evaluate calc --store s.db --train /dev/null
echo "no-such-input" >strange.txt
try nitro evaluate calc --store s.db --train train.txt --test strange.txt --quiet
printf 'in1\n\001\n' >control.txt
try nitro evaluate calc --store s.db --train control.txt
try nitro evaluate calc --store s.db --train train.txt --test train.txt --targets gpu1 --quiet
try nitro evaluate calc --store s.db --portfolio 3
