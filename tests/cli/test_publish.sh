nitro store list --store file:none 2>&1 | grep -q 'this build cannot' &&
    echo "SKIP: this build has no bundles" && exit

cat >samples.csv <<'END'
input,rows,nnz,time_ms:fast,time_ms:slow
a,10,100,0.5,1.5
b,20,1000,0.25,0.125
c,30,5000,2,1
END
cat >devices.csv <<'END'
device,vendor,peak_gbps
gpu1,X,100
gpu2,Y,200
END
for device in gpu1 gpu2; do
    nitro store import --store lab.db --computation calc --device "$device" \
        --samples samples.csv --devices devices.csv --quiet >/dev/null
done
nitro store keygen lab.key --name lab --quiet >/dev/null
nitro store keygen other.key --name other --quiet >/dev/null

# Sizes and checksums depend on the time of the import, keys are random.
try() {
    printf '$'
    printf ' %s' "$@"
    printf '\n'
    "$@" >out.txt 2>err.txt
    local code=$?
    sed -i -E -e 's/size: [0-9.]+ k?B?(bytes)?,/size: SIZE,/' -e 's/"bytes": [0-9]+/"bytes": SIZE/' \
        -e 's|key [0-9A-F]{16}|key ID|' -e 's|[0-9a-f]{64}|SHA256|' -e 's/after [0-9]+ ms/after N ms/' out.txt err.txt
    cat out.txt
    sed 's/^/! /' err.txt
    ((code == 0)) || echo "exit $code"
}

title "publish, again without a change, and pull"
try nitro store publish --store lab.db --output www
try nitro store publish --store lab.db --output www --json
try json_get version '#' bundles.0.computation bundles.0.device bundles.0.samples <www/index.json
try nitro store pull www --store mine.db
try nitro store pull www --store mine.db --json
try nitro store list --store mine.db
try nitro store verify --store mine.db

title "a published folder is a store, for reading"
try nitro store list --store file:www
try nitro store verify --store file:www
try nitro tune-from-source calc --store file:www --target gpu2 --output from-www.json
try nitro tune-from-source calc --store lab.db --target gpu2 --output from-lab.json
cmp <(json_get predictor <from-www.json) <(json_get predictor <from-lab.json) && echo "the same model"
try nitro store import --store file:www --computation calc --device gpu1 --samples samples.csv

title "signatures"
try nitro store pull www --store signed.db --trusted-keys lab.key.pub
try nitro store publish --store lab.db --output www --sign lab.key
try nitro store pull www --store signed.db --trusted-keys lab.key.pub
try nitro store pull www --store other.db --trusted-keys other.key.pub --json
try nitro store pull www --store other.db --require-signature
mkdir -p "$HOME/.config/nitro"
cp lab.key.pub "$HOME/.config/nitro/trusted-keys"
try nitro store pull www --store other.db --require-signature
try nitro store publish --store lab.db --output www --sign lab.key.pub
rm "$HOME/.config/nitro/trusted-keys"

title "trusted keys that are configured are used without an option"
cp other.key.pub "$HOME/.config/nitro/trusted-keys"
try nitro store pull www --store configured.db
try nitro store list --store file:www
NITRO_TRUSTED_KEYS=lab.key.pub try nitro store pull www --store configured.db
try nitro store pull www --store configured.db --allow-unsigned
try nitro store pull www --store configured.db --allow-unsigned --require-signature
rm "$HOME/.config/nitro/trusted-keys"

title "a revoked key signs nothing; an expired one neither"
nitro store keygen old.key --name old --expires 2001-02-03 --quiet >/dev/null
try nitro store publish --store lab.db --output old --sign old.key
try nitro store pull old --store old.db --trusted-keys old.key.pub
cat lab.key.pub other.key.pub >both
try nitro store revoke lab.key.pub --list revoked-keys --sign other.key
try nitro store revoke other.key.pub --list revoked-keys --sign other.key --json
NITRO_REVOKED_KEYS=revoked-keys try nitro store pull www --store revoked.db --trusted-keys both
rm revoked-keys.minisig
NITRO_REVOKED_KEYS=revoked-keys try nitro store pull www --store revoked.db --trusted-keys both

title "sources are left out by name or by signer"
nitro store pull www --store sources.db --trusted-keys lab.key.pub --quiet >/dev/null
for device in mine ours; do
    nitro store import --store sources.db --computation calc --device "$device" --samples samples.csv --quiet >/dev/null
done
learnt_from() {
    try nitro tune-from-source calc --store sources.db --target mine --output mine.json --quiet "$@" >all.txt
    sed -n -e '/^\$/p' -e '/^trained/,/^device/{/^device/!p}' -e '/^! .*exclude/p' all.txt
}
learnt_from
learnt_from --exclude gpu1
learnt_from --exclude signer:lab
learnt_from --exclude signer:lab,ours
learnt_from --exclude gpu3
learnt_from --exclude signer:nobody
learnt_from --sources gpu1,ours --exclude gpu1
try nitro evaluate calc --store sources.db --targets mine --exclude signer:lab,ours,mine --method fixed

title "a bundle that was tampered with is refused and named, the others are used"
file=$(grep -o '"content_sha256": "[0-9a-f]*' www/index.json | head -1 | cut -d'"' -f4)
printf 'x' | dd of="www/bundles/$file.jsonl.zst" bs=1 seek=40 conv=notrunc status=none
try nitro store pull www --store rest.db
try nitro store list --store rest.db
try nitro store verify --store file:www

title "what is not there"
try nitro store pull nowhere --store none.db
try nitro store pull https://127.0.0.1:1/x --store none.db
try nitro store pull https://user:secret@127.0.0.1/x --store none.db
try nitro store pull www --store none.db --trusted-keys other.key.pub
ls none.db 2>&1
try nitro store publish --store lab.db --output /proc/nitro
try nitro store publish --store lab.db
