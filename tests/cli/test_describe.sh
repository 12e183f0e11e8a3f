# Relative features of a recorded computation, which has no code: a description file declares them.
# "large" is best where an input has more than 8 items a core, on devices of 10 to 1000 cores.
make_samples() { # CORES
    echo "input,items,odd,time_ms:small,time_ms:large"
    for i in $(seq 30 120); do
        items=$(awk -v i=$i 'BEGIN { print int(exp(i / 10)) }')
        if ((items < 8 * $1)); then
            echo "in$i,$items,$((i % 7)),1,2"
        else
            echo "in$i,$items,$((i % 7)),2,1"
        fi
    done
}
cat >devices.csv <<'EOF'
device,cuda_cores,peak_gbps
c10,10,1
c100,100,1
c1000,1000,1
none,,1
EOF
cat >calc.json <<'EOF'
{
  "format": "nitro-computation", "version": 1, "computation": "calc",
  "features": [{"name": "items", "unit": "items", "scale": "log"}],
  "relative_features": [
    {"name": "items_per_core", "unit": "items", "scale": "log",
     "formula": "items / device.cuda_cores", "replaces": ["items"]}
  ],
  "default": "large"
}
EOF
import() { # CORES
    make_samples $1 >c$1.csv
    try nitro store import --store s.db --computation calc --device c$1 --samples c$1.csv \
        --devices devices.csv "${@:2}"
}

title "a description comes with an import; a later one without it changes nothing"
import 10 --describe calc.json
import 100 --describe calc.json
import 1000 --features items
nitro store list --store s.db --json | json_get 0.features.# 0.features.0 0.relative_features

title "they carry over to a device that differs from the sources"
try nitro tune-from-source calc --store s.db --target c1000 --sources c10,c100 --strategy forest --output m.json
nitro predict --model m.json --features items=6000 --json | json_get variant reason
nitro predict --model m.json --features items=9000 --json | json_get variant reason
nitro predict --model m.json --features items=1e7 --json | json_get variant reason
try nitro evaluate calc --store s.db --targets c1000 --method pooled,forest --train-fraction 0.5 --quiet

title "relative features that the target lacks are dropped with a warning"
make_samples 10 >none.csv
try nitro store import --store s.db --computation calc --device none --samples none.csv --devices devices.csv --features items
try nitro tune-from-source calc --store s.db --target none --sources c10,c100 --strategy forest --output n.json
try nitro tune-from-source calc --store s.db --target c1000 --sources c10,c100 --strategy svm --output p.json

title "wrong files, and where"
wrong() {
    sed "$1" calc.json >wrong.json
    try nitro store import --store t.db --computation calc --device c10 --samples c10.csv --devices devices.csv --describe wrong.json
}
wrong 's/"version": 1,/"version": 1/'
wrong 's/items \/ device/item \/ device/'
wrong 's/cuda_cores"/cuda_cores)"/'
wrong 's/"scale"/"scales"/'
wrong 's/"large"/"huge"/'
wrong 's/\["items"\]/["rows"]/'
try nitro store import --store t.db --computation calc --device c10 --samples c10.csv --describe nowhere.json
