# Users with the rules that `nitro store acl` prints: docs/redis-keys.md followed to the letter.
command -v redis-server >/dev/null || echo "SKIP: no redis-server here (apt-get install redis-server)"
redis-server --version | grep -qE 'v=([7-9]|[1-9][0-9])\.' || echo "SKIP: ACL rules need Redis 7"
nitro store list --store redis: 2>&1 | grep 'not in this build' && echo "SKIP: without hiredis"

title "the example that ships"
{
    nitro store acl --user nitro-contributor --device 'lab-a.*'
    nitro store acl --user nitro-consumer
} | sed 's/change-me-nitro-/change-me-/' >example.acl
try cmp example.acl "$TESTS/../../data/redis/nitro.acl"
try nitro store acl --user 'a b'
try nitro store acl --user a --device 'x*y'
try nitro store acl --user reader --prefix second --json

title "a tune with leases, by a user who may write this device only"
device=$(nitro devices | sed -n "s,^\(host:[^ ]*\) .*,\1,p")
{
    nitro store acl --user lab --device "$device" model:k20c
    nitro store acl --user reader
    echo "user default on >admin ~* &* +@all"
} >users.acl
redis-server --port 0 --unixsocket socket --save '' --logfile server.log --aclfile users.acl &
trap 'kill %1' EXIT
for _ in $(seq 500); do
    [[ -S socket ]] && break
    sleep 0.02
done
redis=redis+unix://$PWD/socket
export NITRO_REDIS_PASSWORD=admin NITRO_GENERATE_MB=histogram=1
nitro tune histogram --generate 1 --device model:k20c --store "$redis" --no-model >/dev/null 2>&1 || echo failed
export NITRO_REDIS_USER=lab NITRO_REDIS_PASSWORD=change-me-lab
nitro tune histogram --generate 2 --device host --store "$redis" --no-model >tune.txt 2>&1 || cat tune.txt
nitro store list --store "$redis" --json | json_get 0.devices.0.samples 0.devices.1.samples
nitro tune histogram --generate 2 --device model:k20c --store "$redis" --no-model >tune.txt 2>&1 || cat tune.txt
try nitro tune histogram --generate 1 --device model:gtx-980 --store "$redis" --no-model
try nitro store remove --store "$redis" --computation histogram

title "a reader"
NITRO_REDIS_USER=reader NITRO_REDIS_PASSWORD=change-me-reader try nitro store verify --store "$redis"
NITRO_REDIS_USER=reader NITRO_REDIS_PASSWORD=change-me-reader \
    nitro tune histogram --generate 3 --device model:k20c --store "$redis" --no-model 2>&1 |
    grep -o 'SADD on [^)]*)'
