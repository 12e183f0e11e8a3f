# Profiles: imported from Nitro's form and from profilers', listed, exported; and P-DFS on modelled
# devices, from the command line.
cat >samples.csv <<'END'
input,rows,time_ms:csr,time_ms:ell
a,10,1,2
b,20,2,1
END
nitro store import --store s.db --computation calc --device gpu --samples samples.csv --quiet

title Nitro\'s own form: variants and proxies in one file
cat >own.csv <<'END'
device,computation,variant,input,proxy,intensity,kernel,inst_issued,dram_read_transactions
gpu,calc,csr,a,,,rows,100,5
gpu,calc,csr,b,,,rows,200,
gpu,,,,MEM-BW,0,copy,100,1
other,,,,MEM-BW,5,copy,100,40
END
try nitro store import --store s.db --profiles own.csv
try nitro store import --store s.db --profiles own.csv
try nitro store import --store s.db --profiles own.csv --replace --json

title as Nsight Compute prints it: chatter, a line of units, a kernel launched twice
cat >ncu.csv <<'END'
==PROF== Connected to process 4711 (/lab/calc)
"ID","Process ID","Kernel Name","Context","Stream","Device","CC","smsp__inst_issued.sum","lts__t_sectors.avg.pct_of_peak_sustained_elapsed"
"","","","","","","","inst","%"
"0","4711","void scan<int, (int)4>(float *)","1","7","0","9.0","1,234,567","12.5"
"1","4711","void scan<int, (int)4>(float *)","1","7","0","9.0","1,234,568","n/a"
==PROF== Disconnected from process 4711
END
try nitro store import --store s.db --profiles ncu.csv --device gpu --computation calc --variant ell --input a
sed '1s/^/\xEF\xBB\xBF/' ncu.csv >mark.csv # as programs on Windows write it
try nitro store import --store mark.db --profiles mark.csv --device gpu --proxy ATOMIC --intensity 1

title as nvprof prints it: a row a metric, with units and words
cat >nvprof.csv <<'END'
==42== Profiling result:
"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"
"Tesla K20c (0)","bump(int*)",1,"inst_issued","Instructions Issued",812,812,812
"Tesla K20c (0)","bump(int*)",1,"atomic_throughput","Atomic throughput",1.5GB/s,1.5GB/s,1.5GB/s
"Tesla K20c (0)","bump(int*)",1,"l2_utilization","L2 Cache Utilization","Low (2)","Low (2)","Low (2)"
"Tesla K20c (0)","bump(int*)",1,"gld_efficiency","Global Load Efficiency",95.5%,95.5%,95.5%
END
try nitro store import --store s.db --profiles nvprof.csv --device gpu --proxy ATOMIC --intensity 3
try nitro store list --store s.db
try nitro store info --store s.db --json
try nitro store export --store s.db --profiles all.csv
try cat all.csv

title what was exported goes in again, and comes out the same
nitro store import --store t.db --computation calc --device gpu --samples samples.csv --quiet
try nitro store import --store t.db --profiles all.csv
nitro store export --store t.db --profiles again.csv --quiet
try cmp all.csv again.csv
try nitro store copy s.db u.db
try nitro store verify --store u.db
try nitro store remove --store u.db --profiles --device gpu
try nitro store remove --store u.db --profiles --computation calc --json

title wrong files and options
try nitro store import --store s.db --profiles nvprof.csv --device gpu
try nitro store import --store s.db --profiles nvprof.csv --proxy ATOMIC --intensity 3
try nitro store import --store s.db --profiles nvprof.csv --device gpu --proxy ATOMIC --intensity 9
try nitro store import --store s.db --profiles samples.csv --device gpu --proxy ATOMIC --intensity 3
try nitro store import --store s.db --profiles own.csv --samples samples.csv
try nitro store import --store s.db --computation calc --device gpu --samples samples.csv --proxy X
printf 'kernel,inst_issued\nk,12 apples\n' >bad.csv
try nitro store import --store s.db --profiles bad.csv --device gpu --proxy ATOMIC --intensity 3
sed -e s/calc/sort/ own.csv >sort.csv
try nitro store import --store s.db --profiles sort.csv
sed -e s/csr/coo/ own.csv >coo.csv
try nitro store import --store s.db --profiles coo.csv
try nitro store export --store s.db --computation calc --device gpu
try nitro store export --store s.db --profiles none.csv --device nobody

title P-DFS: skipped without profiles, reports the winning proxies with them
nitro tune spmv --generate 12 --device model:c2075,model:k20c --store m.db --no-model --quiet >tune.txt
try nitro tune-from-source spmv --store m.db --target model:gtx-980 --strategy svm --dfs profile --output m.json
try nitro evaluate spmv --store m.db --method full,pdfs --quiet
try nitro profile spmv --store m.db --device model:c2075,model:k20c
try nitro profile spmv --store m.db --device model:gtx-480
try nitro profile spmv --store m.db --device model:c2075 --generate 2
try nitro profile proxies --store m.db --device model:c2075
try nitro profile proxies --store m.db --generate 2
try nitro profile spmv --store m.db
try nitro profile spmv --store m.db --device host,model:c2075 --generate 2
try nitro profile spmv --store m.db --device model:c2075 --proxies proxies.json
try nitro profile spmv proxies --store m.db --device model:c2075
try nitro profile
try nitro profile calc --store s.db --device gpu
try nitro profile calc --store s.db --device gpu9
try nitro tune spmv --generate 2 --device model:c2075 --store m.db --no-model --profile
try nitro profile spmv --store m.db --device model:c2075 --json
try nitro tune-from-source spmv --store m.db --target model:gtx-980 --strategy svm --dfs profile --output m.json
try nitro evaluate spmv --store m.db --method full,pdfs --quiet

title proxies of one\'s own
cat >proxies.json <<'END'
{"format": "nitro-proxies", "version": 1,
 "metrics": [{"name": "l2_traffic", "sort": "count",
              "from": ["l2_read_transactions + l2_write_transactions"]}],
 "proxies": [{"name": "MEM-BW", "metrics": ["l2_traffic"], "device_features": ["l2_cache_size"]}]}
END
try nitro tune-from-source spmv --store m.db --target model:gtx-980 --strategy svm --dfs profile --proxies proxies.json --output m.json
sed -e 's/"l2_traffic"\]/"l2_trafic"]/' proxies.json >bad.json
try nitro tune-from-source spmv --store m.db --target model:gtx-980 --strategy svm --dfs profile --proxies bad.json --output m.json
try nitro tune-from-source spmv --store m.db --target model:gtx-980 --strategy svm --proxies proxies.json --output m.json
