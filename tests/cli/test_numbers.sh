# All that is written is the same under a locale with a decimal comma and another rounding mode, and
# what was written so is read.
if localedef -i de_DE -f UTF-8 "$PWD/de_DE.UTF-8" 2>/dev/null; then
    export LOCPATH=$PWD NITRO_TEST_LOCALE=de_DE.UTF-8
fi # else only the rounding mode is another one
other() { LC_ALL= ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$PWD/libother_numbers.so "$@"; }
cp "$MODULES/libother_numbers.so" . # the name of what is loaded first has no spaces

title "a store and a model to write"
export SOURCE_DATE_EPOCH=1700000000 # both imports are of one second
echo 'device,peak_gbps,l2_cache_size
gpu1,0.1,1.7
gpu2,1e-7,3.3
new,1,2.5' >devices.csv
for n in 1 2; do
    {
        echo "input,x,y,time_ms:small,time_ms:large"
        for i in $(seq 40); do
            ((i < 10 * n)) && echo "in$i,$i.1,0.$i,0.1,0.3" || echo "in$i,$i.7,1e-$((i % 9)),0.7,0.$i"
        done
    } >gpu$n.csv
done
import() {
    local n
    for n in 1 2; do
        "${@:2}" nitro store import --store "$1" --computation calc --device gpu$n --samples gpu$n.csv \
            --devices devices.csv >/dev/null 2>&1
    done
}
import plain.db
import other.db other
for n in 1 2; do
    nitro store export --store plain.db --computation calc --device gpu$n --samples plain$n.csv 2>/dev/null
    other nitro store export --store other.db --computation calc --device gpu$n --samples other$n.csv 2>/dev/null
    try cmp plain$n.csv other$n.csv
done
try nitro store sync plain.db other.db
nitro tune-from-source calc --store plain.db --target gpu2 --output m.json >/dev/null
json_get target <m.json

title "models: JSON, binary and C, there and back"
nitro compile --model m.json --output plain.bin >/dev/null
other nitro compile --model m.json --output other.bin >/dev/null
try cmp plain.bin other.bin
nitro compile --model m.json --format c --output plain.c >/dev/null
other nitro compile --model m.json --format c --output other.c >/dev/null
try diff plain.c other.c
cc -O1 -std=c11 -c other.c -o other.o || echo "the exported file does not compile"

title "bundles"
nitro store publish --output plain --store plain.db >/dev/null 2>&1
other nitro store publish --output other --store plain.db >/dev/null 2>&1
try diff -r plain other
try nitro store pull "$PWD/other" --store pulled.db
try other nitro store pull "$PWD/plain" --store pulled2.db
try nitro store verify --store pulled2.db
