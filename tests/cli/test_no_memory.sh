# Where memory runs out, results are those of a run with enough memory, or the command fails and
# says so: JSON that lacks a value is never printed.
if [[ $(ldd "$(command -v nitro)") == *lib[at]san* ]]; then
    echo "SKIP: sanitizers have a malloc of their own"
    exit
fi
cp "$MODULES/libfailing_allocation.so" . # the name of what is loaded first has no spaces
printf 'input,rows,nnz,time_ms:fast,time_ms:slow\n' >samples.csv
for i in $(seq 12); do echo "in$i,$i,$((i * i)),$i,$((13 - i))" >>samples.csv; done
printf 'device,vendor,peak_gbps\ngpu1,X,100\ngpu2,Y,200\n' >devices.csv
for device in gpu1 gpu2; do
    nitro store import --store s.db --computation calc --device $device --samples samples.csv \
        --devices devices.csv --quiet >/dev/null
done
nitro tune-from-source calc --store s.db --target gpu2 --output m.json --quiet >/dev/null 2>&1

# `each_fails LAST COMMAND...`: allocations fail in turn: the first 30, which read the command line,
# and the last ones, which make the results.
each_fails() {
    local total n code failed=0
    "${@:2}" >whole.txt
    total=$(LD_PRELOAD=$PWD/libfailing_allocation.so "${@:2}" 2>&1 >/dev/null | tail -n 1)
    for ((n = 1; n <= total; n++)); do
        ((n <= 30 || n > total - $1)) || continue
        FAILING_ALLOCATION=$n LD_PRELOAD=$PWD/libfailing_allocation.so "${@:2}" >out.txt 2>err.txt
        code=$?
        if ((code == 0)); then
            cmp -s out.txt whole.txt || echo "allocation $n of $total: exit 0 with other results"
        else
            failed=$((failed + 1))
            ((code == 1)) && [[ -s err.txt ]] || echo "allocation $n of $total: exit $code: $(<err.txt)"
        fi
    done
    ((failed > 0)) || echo "none of $total made it fail"
}

title "results as JSON"
each_fails 200 nitro version --json
each_fails 200 nitro predict --model m.json --features rows=5,nnz=25 --json
each_fails 200 nitro store list --store s.db --json
each_fails 100 nitro store verify --store s.db --json
