# Variants on an OpenCL device: measured, checked, learnt from, searched. PoCL runs them on processors.
unset OCL_ICD_VENDORS
export NITRO_GENERATE_MB=spmv=2,histogram=2 POCL_CACHE_DIR=$MODULES/pocl NITRO_KERNEL_CACHE=$MODULES/kernels
mkdir -p "$POCL_CACHE_DIR"
if ! nitro devices opencl >device.txt 2>err.txt; then
    echo "SKIP: $(cat err.txt): install pocl-opencl-icd"
    exit
fi

title "the device, its record, and the same device of it"
grep -cE '^  (sm_count|clock_rate|global_mem|l2_cache_size|shared_mem_per_block|threads_per_block) .* query$' device.txt
nitro devices opencl --record device.json >/dev/null && nitro devices --replay device.json | diff device.txt - && echo "equal"
nitro devices opencl:99 2>&1 | grep -o "no OpenCL device 'opencl:99'"

title "tune and learn; who wins is the machine's affair"
for computation in spmv histogram; do
    nitro tune $computation --device opencl --generate 6 --repetitions 3 --store sqlite:lab.db --output $computation.json \
        --quiet --json >tune.json 2>err.txt || cat err.txt
    json_get 0.computation 0.inputs 0.samples <tune.json
    nitro run $computation --device opencl --generated 3 --model $computation.json | grep -cE '^result  *(correct|this is the reference)'
done

title "every variant that has a kernel was measured, and is right"
nitro store export --store sqlite:lab.db --computation histogram --device "$(head -n 1 device.txt | cut -d ' ' -f 1)" \
    --devices devices.csv --samples samples.csv >out.txt 2>&1 || cat out.txt
python3 -c '
import csv
rows = list(csv.DictReader(open("samples.csv")))
for name in rows[0]:
    if name.startswith("time_ms:"):
        print(name, "measured" if any(row[name][:1].isdigit() for row in rows) else "not measured")'
grep -cE 'wrong|failed' samples.csv

title "search: the best configuration is what runs from then on"
nitro search spmv:csr --device opencl --generated 3 --budget 3 --repetitions 3 --no-store --json >search.json 2>err.txt || cat err.txt
json_get name evaluations invalid <search.json
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 1 2.5\n' >matrix.mtx
nitro search spmv:csr --device opencl --input matrix.mtx --budget 1 --repetitions 3 --no-store --json >search.json 2>err.txt || cat err.txt
json_get name evaluations invalid <search.json
nitro run spmv --device opencl --generated 3 | grep -cE '^result  *(correct|this is the reference)'
# What was kept is evaluated first, whatever the seed.
best_of() { nitro search spmv:csr --device opencl --generated 3 --repetitions 3 --no-store --output $1.json --quiet "${@:2}" 2>err.txt >/dev/null || cat err.txt; }
kept=$(cat "$(ls -t "$NITRO_KERNEL_CACHE"/best-* | head -n 1)")
best_of again --budget 2 --seed 7
python3 -c '
import json, sys
first = json.load(open("again.json"))["results"][0]["configuration"]
print("kept first" if sys.argv[1] == " ".join(f"{k}={v}" for k, v in first.items()) else (sys.argv[1], first))' "$kept"
nitro evaluate --recorded again.json --searchers random --repeats 2 | grep -cE '^(random|again)'
nitro report --recorded again.json --searchers random --repeats 2 --output report --quiet >/dev/null && grep -q '<svg' report/index.html && echo "pictures"
try nitro search spmv:csr --budget 3
try nitro search spmv:csr_merge --device opencl
