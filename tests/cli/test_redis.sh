# A store on a redis-server of the test's own, through its socket, with a password.
command -v redis-server >/dev/null || echo "SKIP: no redis-server here (apt-get install redis-server)"
nitro store list --store redis: 2>&1 | grep 'not in this build' && echo "SKIP: without hiredis"

redis-server --port 0 --unixsocket socket --save '' --logfile server.log --requirepass open-sesame &
trap 'kill %1' EXIT
for _ in $(seq 500); do
    [[ -S socket ]] && break
    sleep 0.02
done
redis=redis+unix://$PWD/socket
export NITRO_REDIS_PASSWORD=open-sesame

cat >devices.csv <<'END'
device,peak_gbps
gpu1,100
gpu2,200
new,250
END
for n in 1 2; do
    {
        echo "input,x,time_ms:small,time_ms:large"
        for i in $(seq 40); do
            ((i < 10 * n)) && echo "in$i,$i,1,2" || echo "in$i,$i,2,1"
        done
    } >gpu$n.csv
done

title "import, list, export, copy and verify as with a file"
for n in 1 2; do
    try nitro store import --store "$redis" --computation calc --device gpu$n --samples gpu$n.csv --devices devices.csv
done
try nitro store import --store "$redis" --computation calc --device gpu1 --samples gpu1.csv
try nitro store list --store "$redis"
nitro store info --store "$redis" --json | json_get url computations devices samples
try nitro store export --store "$redis" --computation calc --device gpu1 --samples here.csv
try nitro store copy "$redis" file.db
nitro store export --store file.db --computation calc --device gpu1 --samples file.csv 2>/dev/null
try cmp here.csv file.csv
try nitro store copy file.db "$redis?prefix=second"
try nitro store verify --store "$redis?prefix=second"
try nitro store remove --store "$redis?prefix=second" --computation calc
try nitro store list --store "$redis?prefix=second"

title "a list reads each device once, and counts the profiles of devices where there are any"
for c in a b c; do
    for n in 1 2; do
        nitro store import --store "$redis?prefix=third" --computation $c --device gpu$n --samples gpu$n.csv --devices devices.csv --quiet >/dev/null
    done
done
redis-cli -s socket -a open-sesame --no-auth-warning config resetstat >/dev/null
nitro store list --store "$redis?prefix=third" | grep -c ' 40 '
redis-cli -s socket -a open-sesame --no-auth-warning info commandstats |
    sed -n 's/^cmdstat_\(get\|hlen\|exists\):calls=\([0-9]*\),.*/\1 \2/p' | sort
nitro store remove --store "$redis?prefix=third" --computation a >/dev/null

title "the same model from a server and from a file"
try nitro tune-from-source calc --store "$redis" --target gpu2 --output here.json
nitro tune-from-source calc --store file.db --target gpu2 --output file.json >/dev/null
try cmp here.json file.json

title "a tune keeps its samples there"
nitro tune spmv --generate 3 --device model:k20c --store "$redis" --no-model 2>/dev/null | head -n 1
nitro store list --store "$redis" --json | json_get 1.computation 1.devices.0.samples

title "errors say what to do, and no password"
NITRO_REDIS_PASSWORD=wrong-secret try nitro store list --store "$redis"
try nitro store list --store "redis+unix://:wrong-secret@$PWD/socket" 2>&1 | tail -n +2
NITRO_REDIS_PASSWORD= try nitro store list --store "$redis"
try nitro store list --store "$redis?prefix=none"
try nitro store list --store "$redis?speed=fast"
try nitro store list --store "redis+unix://$PWD/nobody?timeout=0.2"
touch password
chmod 644 password
NITRO_REDIS_PASSWORD= NITRO_REDIS_PASSWORD_FILE=$PWD/password try nitro store list --store "$redis"
