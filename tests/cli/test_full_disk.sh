# A disk that is full, as the limit of a file's size plays it: what was stored stays, and the same
# command goes on once there is room.
mine=$MODULES/libmine.so
# `limited KILOBYTES COMMAND...`: what differs from system to system is not printed.
limited() {
    printf '$ (ulimit -f %s;' "$1"
    printf ' %s' "${@:2}"
    echo ')'
    (ulimit -f "$1" && "${@:2}") >out.txt 2>err.txt
    local code=$?
    grep -o "the failed write was undone\|earlier inputs are stored.*\|: cannot write: .*" err.txt
    echo "exit $code"
}

title "a tune"
nitro tune "$mine" --generate 3 --budget 1 --no-model --quiet --store s.db >/dev/null 2>&1
limit=$((($(stat -c %s s.db) + 20000) / 1024))
limited $limit nitro tune "$mine" --generate 200 --budget 1 --no-model --quiet --store s.db |
    sed "s/-f $limit/-f N/"
try nitro store verify --store s.db
nitro tune "$mine" --generate 200 --budget 1 --no-model --quiet --json --store s.db >tune.json 2>/dev/null
json_get 0.inputs.total 0.samples <tune.json

title "a model, a table, a bundle"
limited 1 nitro tune-from-source mine --store s.db --target model:k20c --output m.json
host=$(nitro store list --store s.db --json | json_get 0.devices.0.id | cut -d '"' -f 2)
limited 1 nitro store export --store s.db --computation mine --device "$host" --samples x.csv
limited 1 nitro store publish --store s.db --output www
ls m.json x.csv www/index.json 2>&1
