# measurement FILE GROUP NAME CSR COO: one file as the Ginkgo project's benchmarks write it.
measurement() {
    mkdir -p "checkout/data/$(dirname -- "$1")"
    cat >"checkout/data/$1" <<JSON
[{"filename": "/x/$3.mtx",
  "problem": {"group": "$2", "name": "$3", "rows": 10, "cols": 10, "nonzeros": 40,
              "row_distribution": {"min": 2, "q1": 3, "median": 4, "q3": 5, "max": 6, "mean": 4.0,
                                   "variance": 1.0, "skewness": 0.0},
              "col_distribution": {"max": 6, "variance": 1.0}},
  "spmv": {"$4": {"storage": 1, "time": $5, "completed": true},
           "$6": {"storage": 1, "time": $7, "completed": true}}, "optimal": {"spmv": "$4"}}]
JSON
}
import() {
    try nitro store import --store s.db --format ginkgo "$@"
}

for i in 1 2 3; do
    measurement "K40m/cuda/SuiteSparse/HB/m$i.json" HB "m$i" Csr "1500$i" Coo 18000
    measurement "MI100/hip/SuiteSparse/HB/m$i.json" HB "m$i" csr 0.0000150 coo 0.000012
done
measurement MI100/hip/SuiteSparse/HB/old.json HB old csr 15000 coo 12000
printf '<<<<<<< HEAD\n' >checkout/data/K40m/cuda/SuiteSparse/HB/conflict.json
: >checkout/data/MI100/hip/SuiteSparse/HB/empty.json
echo '["data/K40m"]' >checkout/data/list.json
ln -s .. checkout/data/K40m/up
cat >devices.csv <<'END'
device,vendor,peak_gbps
K40m,NVIDIA,288.4
MI100,AMD,1228.8
END

title "a whole checkout, units by evidence, campaigns apart"
import checkout --devices devices.csv
try nitro store list --store s.db
try nitro store verify --store s.db

title "the same again is refused, unless it shall be replaced; another state has a name"
import checkout
import checkout --replace --device K40m --json
json_get variants.0 devices.0.unit devices.0.replaced skipped.0.reason skipped.0.count <out.txt
import checkout/data/K40m --devices devices.csv --campaign 2019

title "folders named after cards get the cards' rows; of several the first"
mkdir cards && cp -r checkout/data/MI100 cards/V100 && cp -r checkout/data/MI100 cards && cp -r checkout/data/MI100 cards/Xeon
tables=$TESTS/../../data/devices
try nitro store import --store c.db --format ginkgo cards --devices "$tables/nvidia.csv,$tables/amd.csv" --describe "$TESTS/../../data/computations/spmv-ginkgo.json"
nitro store import --store d.db --format ginkgo cards --devices "$tables/nvidia.csv,$tables/amd.csv" --json 2>/dev/null | json_get devices.0.card devices.2.card devices.2.other_cards devices.4.card

title "folders get the ids of a shipped table; a description follows later"
nitro store import --store t.db --format ginkgo checkout --devices "$TESTS/../../data/devices/nvidia.csv" --rename K40m=k40c --device K40m | tail -3
nitro store export --store t.db --computation spmv-ginkgo --device k40c --samples k40c.csv --devices k40c-row.csv
cut -d, -f1-4 k40c-row.csv
try nitro store describe spmv-ginkgo "$TESTS/../../data/computations/spmv-ginkgo.json" --store t.db
try nitro store describe spmv-ginkgo "$TESTS/../../data/computations/spmv-ginkgo.json" --store t.db --json
try nitro store describe spmv-ginkgo missing.json --store t.db
try nitro store describe other "$TESTS/../../data/computations/spmv-ginkgo.json" --store t.db
try nitro store describe spmv-ginkgo "$TESTS/../../data/computations/spmv-ginkgo.json" --store none.db
for table in nvidia amd; do nitro store import --store $table.db --devices "$TESTS/../../data/devices/$table.csv"; done
import checkout --rename K40m
import checkout --rename K20Xm=k20x

title "what it cannot do"
import
import nowhere
import checkout --samples x.csv
import devices.csv
import checkout --device K20Xm
import checkout --campaign 'a b'
import checkout --computation other --variants csr,dia
try nitro store import --store s.db --computation c --device d
try nitro store import --store s.db --computation c --device d,e --samples x.csv
try nitro store import --store s.db checkout

title "variants that most devices did not measure are left out, and named with them"
rm -rf checkout
for i in 1 2 3; do
    measurement "A/cuda/SuiteSparse/HB/m$i.json" HB "m$i" csr 0.000015 coo 0.000012
    measurement "B/cuda/SuiteSparse/HB/m$i.json" HB "m$i" csr 0.000015 coo 0.000012
    measurement "C/cuda/SuiteSparse/HB/m$i.json" HB "m$i" csr 0.000015 ell 0.000012
done
try nitro store import --store l.db --format ginkgo checkout
nitro store import --store l2.db --format ginkgo checkout --json 2>/dev/null | json_get left_out
