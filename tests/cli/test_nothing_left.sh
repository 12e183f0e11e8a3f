# What is refused before anything is measured or imported leaves nothing where nothing was, and a
# store that was there as it was.
cat >samples.csv <<'END'
input,rows,time_ms:fast,time_ms:slow
one,10,0.5,1.5
two,20,0.25,0.125
END
cat >devices.csv <<'END'
device,peak_gbps
gpu1,100
END
head -c 60 samples.csv >cut.csv
sed 's/0.25/nan/' samples.csv >nan.csv
sed 's/^two,20/two,many/' samples.csv >word.csv
cut -d, -f2- samples.csv >nameless.csv
printf 'device,proxy,intensity,kernel,inst_issued\ngpu1,MEM-BW,7,k,1\n' >profiles.csv
mkdir empty
nitro store import --store kept.db --computation calc --device gpu1 --samples samples.csv \
    --devices devices.csv >/dev/null
cp kept.db before.db

# `refused COMMAND...`: it fails, on a store that is not there and on one that is.
refused() {
    try "$@" --store new.db
    "$@" --store kept.db >/dev/null 2>&1 && echo "this one works"
    ls new.db* 2>/dev/null
    cmp kept.db before.db
}
import() {
    refused nitro store import --computation calc --device gpu2 "$@"
}

title "imports"
for file in cut nan word nameless no-such; do
    import --samples $file.csv --devices devices.csv
done
import --samples samples.csv --devices devices.csv
import --samples samples.csv --devices samples.csv
import --samples samples.csv --devices devices.csv --describe samples.csv
refused nitro store import --format ginkgo empty
refused nitro store import --format ginkgo no-such
refused nitro store import --profiles profiles.csv
refused nitro store import --profiles samples.csv --device gpu1 --proxy MEM-BW --intensity 1

title "tunes"
refused nitro tune nothing --generate 2
refused nitro tune spmv
refused nitro tune spmv --generate 2 --device model:nothing
refused nitro tune spmv --generate 2 --devise host
refused nitro tune spmv --generate 2 --device host,host
refused nitro tune spmv --inputs no-such.mtx no-such.mtx
refused nitro tune spmv --generate 2 --output no/folder/model.json
refused nitro profile spmv --device model:nothing
refused nitro profile proxies --device model:k20c
refused nitro profile spmv --device model:k20c

title "other stores"
refused nitro store pull no-such
try nitro store copy no-such.db new.db
ls new.db 2>/dev/null
try nitro tune spmv --generate 2 --store redis://
find "$XDG_DATA_HOME" -type f 2>/dev/null
