# A tune that is killed without warning resumes where it stopped; one that is interrupted prints a message.
mine=$MODULES/libmine.so
count() {
    local line
    line=$(nitro store info --store s.db --json 2>/dev/null | json_get samples | grep '^samples: [0-9]')
    echo "${line:-samples: 0}" | sed 's/.*: //'
}
# Wait until at least $1 samples are stored.
wait_for() {
    local tries
    for tries in $(seq 600); do
        (($(count) >= $1)) && return
        sleep 0.05
    done
    echo "no $1 samples after 30 s"
}

title "SIGKILL"
nitro tune "$mine" --generate 40 --min-repetitions 30 --blocks 1 --budget 200 --store s.db --no-model \
    >/dev/null 2>&1 &
wait_for 2
{ kill -9 $! && wait $!; } 2>/dev/null
before=$(count)
((before >= 2 && before < 40)) || echo "killed too late: $before samples"
nitro store verify --store s.db
nitro tune "$mine" --generate 40 --blocks 1 --budget 1 --store s.db --no-model --quiet --json >tune.json
echo "exit $?"
found=$(json_get 0.inputs.found_in_store <tune.json | sed 's/.*: //')
((found == before)) || echo "$before samples were stored, but $found were found"
json_get 0.inputs.total 0.inputs.failed 0.samples <tune.json
# Other tests tune the same computation at the same time.
pgrep -f "tune $mine --generate 40 --min-repetitions 30" >/dev/null && echo "a worker was left behind"

title "SIGINT"
nitro tune "$mine" --generate 80 --min-repetitions 30 --budget 200 --store s.db --no-model \
    >/dev/null 2>err.txt &
wait_for 42
kill -INT $!
wait $!
echo "exit $?"
sed -n 's/after [0-9]* of/after N of/p' err.txt

title "SIGTERM while a variant hangs"
echo 2001 >hang.txt
nitro tune "$mine" --inputs hang.txt --timeout 1000 --store t.db --no-model >/dev/null 2>err.txt &
for _ in $(seq 600); do
    [[ -s t.db ]] && break
    sleep 0.05
done
sleep 0.5
{ kill -TERM $! && wait $!; } 2>/dev/null
echo "exit $?"
nitro store verify --store t.db
pgrep -f "tune $mine --inputs hang.txt" >/dev/null && echo "a worker was left behind"
true
