# A tune into an unavailable Redis server, and its unsent samples.
command -v redis-server >/dev/null || echo "SKIP: no redis-server here"
mine=$MODULES/libmine.so
socket=$PWD/socket
store=redis+unix://$socket
server=
# `quietly COMMAND`: this folder's name, and what differs from system to system, are not printed.
quietly() {
    try "$@" | sed -e "s|$PWD|HERE|g" -e 's/: No such file or directory//' \
        -e 's/\(samples are kept in sqlite:DATA\).*/\1.../'
}
start() {
    redis-server --port 0 --unixsocket "$socket" --save '' --appendonly yes --logfile log >/dev/null &
    server=$!
    for _ in $(seq 200); do
        [[ -S $socket ]] && return
        sleep 0.05
    done
    echo "redis-server did not start"
}
stop() {
    { kill -9 "$server" && wait "$server"; } 2>/dev/null
    rm -f "$socket"
}
trap stop EXIT

title "the server is unavailable: the tune continues, its samples stay in the journal"
nitro tune "$mine" --generate 3 --budget 1 --blocks 1 --no-model --store "$store?timeout=0.2" >/dev/null 2>err.txt
echo "exit $?"
grep -c "unsent samples are kept in" err.txt
grep -o "3 unsent samples for .* are in a journal" err.txt | sed "s|$PWD|HERE|"
ls "$XDG_DATA_HOME/nitro/journals" | sed 's/.*\././' | sort

title "still away"
nitro store sync --patience 0.1 >out.txt 2>/dev/null
echo "exit $?"
sed "s|$PWD|HERE|" out.txt

title "it is back: once each, and nothing is measured again"
start
quietly nitro store sync
quietly nitro store sync
nitro tune "$mine" --generate 3 --budget 1 --blocks 1 --no-model --quiet --json --store "$store" >tune.json
json_get 0.inputs.found_in_store <tune.json
nitro store info --store "$store" --json | json_get samples

title "the next tune also sends unsent samples"
stop
nitro tune "$mine" --generate 5 --budget 1 --blocks 1 --no-model --quiet --store "$store?timeout=0.2" >/dev/null 2>&1
start
nitro tune "$mine" --generate 5 --budget 1 --blocks 1 --no-model --quiet --json --store "$store" >tune.json
json_get 0.inputs.found_in_store <tune.json
nitro store info --store "$store" --json | json_get samples
quietly nitro store sync
nitro store verify --store "$store" >/dev/null && echo sound
