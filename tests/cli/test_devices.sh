title "the paper's Table 2: Histogram, SpMV"
try nitro devices similarity --features peak_gbps,shared_atomic,mem_bus_width
try nitro devices similarity --features=peak_gbps,mem_clock_rate
nitro devices similarity --features peak_gbps,mem_clock_rate --json >s.json
try json_get features devices.# devices.0 similarity.0.0 similarity.5.# <s.json

title "devices of a file"
cat >devices.csv <<'END'
device,vendor,peak_gbps,sm_count,shared_atomic
a,X,100,10,
b,X,200,20,0.1
c,Y,300,10,0.2
END
try nitro devices similarity --features peak_gbps,sm_count --devices devices.csv
try nitro devices similarity --features peak_gbps,shared_atomic --devices devices.csv
try nitro devices similarity --features warp_size --devices devices.csv
try nitro devices similarity --features peak_gbps --devices missing.csv
try nitro devices similarity --features peak_gbps --devices devices.csv --store s.db

title "devices of a store, which may be of several kinds"
printf 'input,x,time_ms:small,time_ms:large\nin1,1,1,2\n' >one.csv
for device in a b c; do
    nitro store import --store mixed.db --computation calc --device $device --samples one.csv --devices devices.csv --quiet >/dev/null 2>&1
done
try nitro devices similarity --features peak_gbps,shared_atomic --store mixed.db
try nitro devices similarity --features warp_size --store mixed.db

title "what is known of a device"
try nitro devices model:gtx-980
nitro devices host model:gtx-480 --json >d.json
try json_get '#' 1.id 1.kind 1.modelled 1.features.peak_gbps <d.json
nitro devices host --json | json_get '#' 0.kind 0.modelled
try nitro devices model:gtx-9800

title "narrower vectors"
NITRO_SIMD_BITS=128 nitro devices host --json | json_get 0.features.simd_width.value
NITRO_SIMD_BITS=200 try nitro devices host

title "machines with the same processor"
plain=$(nitro devices --json | json_get 0.id | cut -d '"' -f 2)
named=$(NITRO_MACHINE=lab2 nitro devices --json | json_get 0.id | cut -d '"' -f 2)
[[ $named == "$plain@lab2" ]] && echo "the host is called after its machine"
export NITRO_MACHINE=lab2
for id in host "$named"; do
    [[ $(nitro devices "$id" --json | json_get 0.id | cut -d '"' -f 2) == "$named" ]] && echo "it is found"
done
try nitro devices "$plain" 2>&1 | head -n 2
try nitro devices "$plain@lab3" 2>&1 | head -n 2
nitro tune spmv --generate 1 --no-model --store sqlite:two.db --quiet >/dev/null
NITRO_MACHINE= nitro tune spmv --generate 1 --no-model --store sqlite:two.db --quiet >/dev/null
nitro store list --store sqlite:two.db --json | json_get 0.devices.#
NITRO_MACHINE=a/b try nitro devices host
unset NITRO_MACHINE

title "GPUs from recordings"
try nitro devices --replay "$TESTS/../gpus/rtx-4090.json"
try nitro devices --replay "$TESTS/../gpus/a100-sxm4-40gb-mig-1g.5gb.json"
nitro devices --replay "$TESTS/../gpus/h100-pcie.json" --json >h.json
try json_get '#' 0.id 0.kind 0.modelled 0.labels.chip 0.features.peak_gbps 0.features.l2_cache_size <h.json
echo '{"format": "nitro-cuda-query", "version": 1, "name": 7}' >bad.json
try nitro devices --replay bad.json
try nitro devices --replay missing.json
try nitro devices --replay bad.json --measure
try nitro devices --record gpu.json
try nitro devices host --record gpu.json
ls gpu.json 2>&1

title "what was measured goes into the store, and stays there"
nitro devices host --measure --store sqlite:lab.db >/dev/null
nitro devices host --store sqlite:lab.db >host.txt
grep -c 'copy_gbps.*measured' host.txt
nitro tune spmv --generate 1 --no-model --store sqlite:lab.db --quiet >/dev/null
nitro store export --store sqlite:lab.db --computation spmv --device "$(head -n 1 host.txt | cut -d ' ' -f 1)" \
    --devices host.csv --samples samples.csv >/dev/null
nitro store export --store sqlite:lab.db --computation spmv --device host --samples again.csv >/dev/null
cmp samples.csv again.csv
head -n 1 host.csv | tr , '\n' | grep -cE '^(copy_gbps|shared_atomic|global_atomic|launch_us|sp_gflops|dp_gflops)$'
try nitro devices --measure --store sqlite:lab.db
try nitro devices model:k20c --store sqlite:lab.db --replay host.csv
