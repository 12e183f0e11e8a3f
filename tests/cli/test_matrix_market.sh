# Malformed Matrix Market files: each with a message that names file and line, none stored.
bad() {
    local name=$1
    printf "$2" >"$name.mtx"
    try nitro run spmv --input "$name.mtx"
}
bad empty ''
bad no_header '3 3 1\n1 1 1.0\n'
bad dense '%%%%MatrixMarket matrix array real general\n1 1\n1.0\n'
bad complex '%%%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1.0 0.0\n'
bad no_size '%%%%MatrixMarket matrix coordinate real general\n%% only this\n'
bad truncated '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1.0\n2 2 2.0\n'
bad too_many '%%%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1.0\n2 2 2.0\n'
bad out_of_range '%%%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1.0\n4 1 2.0\n'
bad from_zero '%%%%MatrixMarket matrix coordinate real general\n3 3 1\n0 1 1.0\n'
bad nan '%%%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 nan\n'
bad text '%%%%MatrixMarket matrix coordinate real general\n3 3 1\n1 one 1.0\n'
bad short_line '%%%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1\n'
bad huge '%%%%MatrixMarket matrix coordinate real general\n1000000000000000000 3 1\n1 1 1.0\n'
bad lying '%%%%MatrixMarket matrix coordinate real general\n3 3 1000000000000\n1 1 1.0\n'
bad negative '%%%%MatrixMarket matrix coordinate real general\n-3 3 1\n1 1 1.0\n'
bad symmetric '%%%%MatrixMarket matrix coordinate real symmetric\n3 2 1\n1 1 1.0\n'
try nitro run spmv --input missing.mtx
try nitro run spmv --input .

title "one bad file among good ones costs that file, and is said"
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n2 2 2.0\n' >good.mtx
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n' >better.mtx
nitro tune spmv --inputs good.mtx truncated.mtx better.mtx --budget 1 --store s.db --json >tune.json 2>err.txt
echo "exit $?"
grep -v '^tune' err.txt
json_get 0.inputs 0.samples <tune.json
nitro store info --store s.db --json | json_get samples
try nitro tune spmv --inputs truncated.mtx --store s.db --quiet

title "compressed by gzip"
gzip -k good.mtx truncated.mtx
nitro features spmv good.mtx --csv | tail -n +2 >plain.csv
nitro features spmv good.mtx.gz --csv | tail -n +2 | diff plain.csv - && echo "the same"
try nitro run spmv --input truncated.mtx.gz
head -c 60 good.mtx.gz >cut.mtx.gz
try nitro run spmv --input cut.mtx.gz
