# Lines are wrapped at the terminal's width, never inside words; colours, unless NO_COLOR is set.
command -v python3 >/dev/null || { echo "SKIP: there is no python3"; exit 77; }
export TERM=xterm
in_terminal() {
    printf '$ %s columns:' "$1"
    printf ' %s' "${@:2}"
    printf '\n'
    python3 "$TESTS/in_terminal.py" "$@"
}

title "tables"
nitro tune spmv --generate 4 --device model:c2075 --store s.db --no-model --quiet >tuned
NO_COLOR=1 in_terminal 44 nitro tune spmv --generate 4 --device model:c2075 --store s.db --no-model --quiet
in_terminal 60 nitro devices model:c2075
NO_COLOR=1 in_terminal 36 nitro devices model:c2075 | head -n 12
TERM=dumb in_terminal 80 nitro devices model:c2075 | head -n 8

NO_COLOR=1 in_terminal 60 nitro store list --store s.db

title "messages"
in_terminal 40 nitro tune spmv --device k20c
NO_COLOR=1 in_terminal 60 nitro import samples.csv
echo nonsense >model.json
in_terminal 50 nitro predict --model model.json --features x=1

title "help"
in_terminal 50 nitro help version

title "near names"
try nitro stor list
try nitro verfy
try nitro store tune
try nitro tune spmv --device gtx-980

title "errors as JSON"
try nitro devices k20c --json
try nitro devices --jsn --json
try nitro verfy --json

title "features that are too many for a line: by their kinds"
nitro learn spmv --store s.db --device model:c2075 --output wide.json --quiet >learnt 2>&1
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n' >a.mtx
NO_COLOR=1 in_terminal 56 nitro explain --model wide.json --input a.mtx | sed -n '/^Features/,$p' |
    awk 'length > 56 { print "longer than the terminal is wide: " $0 }'
for columns in 50 100; do
    NO_COLOR=1 in_terminal $columns nitro explain --model wide.json --input a.mtx |
        grep '^feature\|^kind\|^input\|rows' | sed 's/  */ /g; s/ $//'
done

title "progress: what does not fit is left out whole, no digit of 'of 60' alone"
in_terminal 39 nitro tune histogram --generate 60 --device model:c2075 --store p.db --no-model 2>&1 |
    tr '\r' '\n' | sed -n 's/.*c2075: [1-6][0-9] //p' | sort -u
