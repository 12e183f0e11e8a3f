mine=$MODULES/libmine.so
# A lab's measurements: device gpu, inputs $2..., all times scaled by $1.
samples() {
    local scale=$1 input
    shift
    echo "input,x,time_ms:a,time_ms:b"
    for input in "$@"; do echo "$input,1,$((2 * scale)),$((3 * scale))"; done
}
import() {
    samples "${@:3}" >samples.csv
    printf 'device,peak_gbps\n%s,%s\n' "$2" 100 >devices.csv
    nitro store import --store "$1" --computation calc --device "$2" --samples samples.csv \
        --devices devices.csv --quiet
}

title "two labs measured one device: both kept, or the newer"
import ours.db gpu 1 one two three
import theirs.db gpu 5 two three four
try nitro store merge theirs.db ours.db
cp ours.db both.db
try nitro store merge theirs.db both.db --campaign lab2
try nitro store merge theirs.db both.db --campaign lab2
try nitro store list --store both.db
try nitro store merge theirs.db both.db --campaign "lab 2"
try nitro store merge theirs.db both.db --campaign lab2 --newer
try nitro store verify --store both.db

title "one way, and a second time nothing"
try nitro store sync ours.db new.db
try nitro store sync ours.db new.db --json
try nitro store sync ours.db missing/folder/new.db
try nitro store sync
try nitro store sync ours.db

title "unused records"
nitro store remove --store new.db --computation calc --device gpu
try nitro store gc --store new.db
try nitro store gc --store new.db --json
try nitro store gc --store new.db --apply
try nitro store gc --store new.db
try nitro store gc --store missing.db --apply
try nitro store info --store new.db --json
try nitro store remove --store ours.db --device gpu
try nitro store remove --store ours.db --device gpt
try nitro store remove --store ours.db

title "a poisoned record is reported and skipped, the others are used"
import ours.db gpu2 1 one two three four
cp ours.db poisoned.db
sed -i 's/four/fuor/g' poisoned.db
try nitro tune-from-source calc --store poisoned.db --target gpu --sources gpu2 --output model.json
try nitro store copy poisoned.db healthy.db
try nitro store gc --store poisoned.db --quarantined
try nitro store gc --store poisoned.db --quarantined --apply
try nitro store verify --store poisoned.db

title "a model knows the records that it was made of"
try nitro store verify --store poisoned.db --model model.json
samples 9 three >samples.csv
nitro store import --store poisoned.db --computation calc --device gpu2 --samples samples.csv \
    --replace --quiet
try nitro store verify --store poisoned.db --model model.json
try nitro store verify --store poisoned.db --model model.json --json
try nitro store verify --store new.db --model model.json
try nitro store verify --store ours.db --model missing.json

title "a changed variant makes only its own times outdated"
nitro tune "$mine" --generate 3 --budget 1 --store tuned.db --no-model --quiet >/dev/null
try nitro store list --outdated --store tuned.db
# A table's width depends on the machine's name; digests of code, on the compiler.
plain() { sed -E 's/\+[0-9a-f]{16}//g'; }
try nitro store list --outdated --store tuned.db --computation "$MODULES/libmine_newer.so" | tr -s ' ' | plain
nitro tune "$MODULES/libmine_newer.so" --generate 3 --budget 1 --store tuned.db --no-model --quiet 2>&1 >/dev/null |
    sed 's/mine on .*: 3/mine on HOST: 3/'
try nitro store list --outdated --store tuned.db --computation "$mine" --json | plain
try nitro store gc --outdated --store tuned.db --computation "$mine" | tr -s ' ' | plain
try nitro store gc --outdated --store tuned.db --computation "$mine" --apply | tr -s ' ' | plain
try nitro store list --outdated --store tuned.db --computation "$mine"
