cat >samples.csv <<'END'
input,rows,nnz,time_ms:fast,time_ms:slow,time_ms:odd
a/one,10,100,0.5,1.5,
a/two,20,1000,0.25,0.125,3
b/four,40,50,,,
b/three,30,100000,4,2,
END
cat >more.csv <<'END'
input,rows,nnz,time_ms:fast,time_ms:slow,time_ms:odd
c/five,50,500,1,2,3
END
cat >devices.csv <<'END'
device,vendor,peak_gbps,shared_atomic
gpu1,X,100,
gpu2,Y,200,0.5
END
import() {
    try nitro store import --store s.db --computation calc --device gpu1 "$@"
}

title "import and export are each other's inverse"
import --samples samples.csv --devices devices.csv
try nitro store list --store s.db
try nitro store export --store sqlite:s.db --computation calc --device gpu1 --samples out.csv --devices out-devices.csv
try cmp samples.csv out.csv
try cat out-devices.csv
try nitro store import --store again.db --computation calc --device gpu1 --samples out.csv --devices out-devices.csv
try nitro store export --store again.db --computation calc --device gpu1 --samples out2.csv
try cmp samples.csv out2.csv

title "more rows add; the same rows are refused unless they shall be replaced"
import --samples more.csv
import --samples samples.csv
import --samples samples.csv --replace --json
json_get added replaced missing_values without_times <out.txt

title "JSON, info, verify, copy, remove"
nitro store list --store s.db --json >list.json
try json_get '#' 0.computation 0.variants 0.features.1 0.devices.0.samples <list.json
nitro store info --store s.db --json | json_get url computations devices samples
try nitro store verify --store s.db
try nitro store copy s.db copy.db
try nitro store copy s.db copy.db --json
try nitro store remove --store copy.db --computation calk
try nitro store remove --store copy.db --computation calc --device gpu9
try nitro store remove --store copy.db --computation calc
try nitro store list --store copy.db
try nitro store remove --store missing.db --computation calc
test -e missing.db && echo "missing.db was made"

title "other names than the store has"
cut -d, -f1,2,4,5,6 samples.csv >no-nnz.csv
import --samples no-nnz.csv --replace
import --samples samples.csv --variants fast,slow --replace
import --samples samples.csv --features rows --replace

title "bad CSV"
bad() {
    cat >bad.csv
    import --samples bad.csv
}
bad <<<'rows,nnz,time_ms:fast,time_ms:slow,time_ms:odd'
bad <<<'input,rows,nnz'
printf 'input,rows,nnz,time_ms:fast,time_ms:slow,time_ms:odd\nx,1,2,3\n' | bad
printf 'input,rows,nnz,time_ms:fast,time_ms:slow,time_ms:odd\nx,1,many,3,4,5\n' | bad
printf 'input,rows,nnz,time_ms:fast,time_ms:slow,time_ms:odd\nx,1,2,-3,4,5\n' | bad
printf 'input,rows,nnz,time_ms:fast,time_ms:slow,time_ms:odd\nx,1,nan,3,4,5\n' | bad
printf 'input,rows,nnz,time_ms:fast,time_ms:slow,time_ms:odd\nx,1,2,3,4,5\ny,1,2,3,4,5\nx,1,2,3,4,5\n' | bad
printf 'input,rows,rows,time_ms:fast,time_ms:slow,time_ms:odd\nx,1,2,3,4,5\n' | bad
printf 'input,rows,nnz,time_ms:fast,time_ms:slow,time_ms:odd\n"x,1,2,3,4,5\n' | bad
bad </dev/null
import --samples no-such.csv
import --samples .
import --samples more.csv --variants fast,slwo --replace
import --samples more.csv --log rosw --replace
try nitro store import --store s.db --computation calc --device gpu3 --samples more.csv --devices devices.csv
try nitro store import --store s.db --computation 'c a l c' --device gpu1 --samples more.csv
try nitro store export --store s.db --computation calc --device gpu2 --samples none.csv
try nitro store export --store s.db --computation calc --device gpu1 --samples no/folder/out.csv
try nitro store export --store s.db --computation calc --device gpu1 --samples -
ls ./- 2>&1
nitro store export --store s.db --computation calc --device gpu1 --samples /dev/stdout --quiet | head -n 2

title "what is missing"
printf 'input,rows,nnz,time_ms:fast,time_ms:slow,time_ms:odd\nx,,2,1,,4\ny,1,2,1,2,4\n' >missing.csv
try nitro store import --store h.db --computation calc --device gpu1 --samples missing.csv --devices devices.csv

title "devices alone"
cat >new.csv <<'END'
device,vendor,peak_gbps
gpu8,Z,300
gpu9,Z,400
END
try nitro store import --store t.db --devices new.csv --device gpu9
try nitro store import --store t.db --devices new.csv
sed -i s/300/350/ new.csv
try nitro store import --store t.db --devices new.csv --device gpu8,gpu9 --json
try nitro store list --store t.db
nitro store list --store t.db --json >list.json
try json_get 0.computation 0.devices.# 0.devices.1.id 0.devices.1.samples <list.json
try nitro store import --store t.db --devices new.csv --device gpu7
try nitro store import --store t.db --devices samples.csv
try nitro store import --store t.db --devices new.csv --log rows
try nitro store import --store t.db --devices new.csv --computation calc
head -1 new.csv >header.csv
try nitro store import --store t.db --devices header.csv
sed s/350/fast/ new.csv >word.csv
try nitro store import --store t.db --devices word.csv
sed 's/vendor/kind/; s/Z/model/' new.csv >modelled.csv
try nitro store import --store t.db --devices modelled.csv

title "nothing of it was stored"
try nitro store list --store s.db

title "a device that lacks a variant, and impossible statistics"
printf 'input,x,row_q3,row_max,time_ms:a,time_ms:b,time_ms:c\nm1,1,2,3,1,2,3\nm2,2,2,3,2,1,3\n' >three.csv
printf 'input,x,row_q3,row_max,time_ms:a,time_ms:b\nm1,1,2,3,1,2\nm2,2,2.6e13,1,2,1\nm3,3,1,1,2,1\n' >two.csv
try nitro store import --store lacks.db --computation rows --device gpu1 --samples three.csv
try nitro store import --store lacks.db --computation rows --device gpu2 --samples two.csv
try nitro store import --store lacks.db --computation rows --device gpu3 --samples <(sed 's/time_ms:b/time_ms:d/' two.csv) 2>&1 | sed 's/;.*//'
