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

title "what is known of a device"
try nitro devices model:gtx-980
nitro devices --json >d.json
try json_get '#' 1.id 1.kind 1.modelled 1.features.peak_gbps <d.json
nitro devices host --json | json_get '#' 0.kind 0.modelled
try nitro devices model:gtx-9800
