# A 3 x 4 matrix with rows of 1, 2 and 3 entries.
cat >a.mtx <<'END'
%%MatrixMarket matrix coordinate real general
3 4 6
1 1 1.0
2 1 2.0
2 2 3.0
3 1 4.0
3 3 5.0
3 4 6.0
END
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n' >b,c.mtx

title "a table, CSV, JSON"
nitro features spmv a.mtx b,c.mtx
nitro features spmv a.mtx b,c.mtx --csv
nitro features spmv a.mtx --json | json_get inputs.0.input inputs.0.features.row_max
nitro features histogram --generate 2 --csv | cut -d, -f1,2

title "what is wrong"
try nitro features spmv
try nitro features spmv missing.mtx
try nitro features spmv a.mtx --csv --json
try nitro features nothing a.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1e-320\n2 2 1e308\n' >range.mtx
try nitro features solver range.mtx b,c.mtx
touch $'not UTF-8 \xff.mtx'
nitro features spmv not*.mtx 2>&1

# Recorded measurements with features and variants of the built-in spmv, and a variant that it lacks.
cat >devices.csv <<'END'
device,peak_gbps,sm_count
gpu1,100,10
gpu2,200,12
END
{
    echo "input,rows,row_mean,row_max,time_ms:csr,time_ms:ell,time_ms:warp"
    for i in $(seq 60); do
        if ((i < 30)); then echo "in$i,$i,2,$((i + 1)),3,2,1"; else echo "in$i,$i,2,$((i + 1)),1,2,3"; fi
    done
} >gpu1.csv
nitro store import --store s.db --computation recorded --device gpu1 --samples gpu1.csv --devices devices.csv
nitro store import --store s.db --devices devices.csv --device gpu2
nitro tune-from-source recorded --store s.db --target gpu2 --sources gpu1 --strategy forest --output m.json --quiet >/dev/null

title "a model of recorded measurements decides for a matrix"
nitro predict --model m.json --input a.mtx --json | json_get computation variant ranking.1.variant
nitro predict spmv --model m.json --features rows=3,row_mean=2,row_max=3 --json | json_get variant
nitro explain --model m.json --input a.mtx | sed -n '1,3p; /^[a-z]*  *row_max  /p' | sed -E 's/ +/ /g'

title "and spmv runs the best of its variants"
nitro run spmv --model m.json --input a.mtx --json 2>err.txt | json_get model variant ranking.0.variant ranking.1.variant ran
sed 's/host:[^ ]*/HOST/' err.txt

title "also where the recorded computation has the name of the built-in one"
nitro store import --store n.db --computation spmv --device gpu1 --samples gpu1.csv --devices devices.csv
nitro store import --store n.db --devices devices.csv --device gpu2
nitro tune-from-source spmv --store n.db --target gpu2 --sources gpu1 --strategy forest --output n.json --quiet >/dev/null
nitro run spmv --model n.json --input a.mtx --json 2>err.txt | json_get model variant ran
sed 's/host:[^ ]*/HOST/' err.txt

title "features that the computation lacks"
sed 's/row_mean/diameter/' gpu1.csv >gpu1d.csv
nitro store import --store d.db --computation recorded --device gpu1 --samples gpu1d.csv --devices devices.csv
nitro store import --store d.db --devices devices.csv --device gpu2
nitro tune-from-source recorded --store d.db --target gpu2 --sources gpu1 --strategy forest --output d.json --quiet >/dev/null
try nitro predict --model d.json --input a.mtx
try nitro predict spmv --model d.json --input a.mtx
try nitro run spmv --model d.json --input a.mtx
sed '1s/csr/csx/; 1s/ell/elx/' gpu1.csv >gpu1v.csv
nitro store import --store v.db --computation recorded --device gpu1 --samples gpu1v.csv --devices devices.csv
nitro store import --store v.db --devices devices.csv --device gpu2 --quiet
nitro tune-from-source recorded --store v.db --target gpu2 --sources gpu1 --strategy forest --output v.json --quiet >/dev/null 2>&1
try nitro run spmv --model v.json --input a.mtx
try nitro predict --model m.json
try nitro predict --model m.json --input a.mtx --features rows=3
