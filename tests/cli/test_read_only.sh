# Permissions do not bind root: the test then needs to become somebody else.
cat >samples.csv <<'END'
input,x,time_ms:a,time_ms:b
one,1,2,3
END
as_user=()
if ((EUID == 0)); then
    as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chmod 755 ../ .
    "${as_user[@]}" nitro version >/dev/null 2>&1 && "${as_user[@]}" test -r samples.csv ||
        echo "SKIP: run by root, and nobody may not run nitro"
fi
try_as_user() {
    "${as_user[@]}" "$@" >out.txt 2>err.txt
    echo "exit $?"
    cat out.txt err.txt
}
mkdir store
nitro store import --store store/s.db --computation calc --device gpu --samples samples.csv >/dev/null 2>&1
chmod 444 store/s.db
chmod 555 store
title "a read-only store can be read"
try_as_user nitro store list --store store/s.db
title "but not written"
sed -i 's/one/two/' samples.csv
try_as_user nitro store import --store store/s.db --computation calc --device gpu --samples samples.csv
try_as_user nitro tune spmv --generate 1 --no-model --quiet --store store/s.db
try_as_user nitro store remove --store store/s.db --computation calc
try_as_user nitro store import --store store/new.db --computation calc --device gpu --samples samples.csv
title "and nothing is lost"
chmod 755 store
chmod 644 store/s.db
try nitro store verify --store store/s.db
nitro store info --store store/s.db --json | json_get samples
