cat >samples.csv <<'END'
input,x,time_ms:a,time_ms:b
one,1,2,3
END
nitro store import --store s.db --computation calc --device gpu --samples samples.csv >/dev/null 2>&1

title "not there, not a store, not a kind of store"
try nitro store list --store missing.db
echo "this is no database" >text.db
try nitro store list --store text.db
try nitro store list --store .
try nitro store list --store ftp:s.db
try nitro store list --store no/such/folder/s.db

title "its plug-in is missing, or is something else"
export NITRO_PLUGINS=plugins
try nitro store list --store redis://localhost/
try nitro fetch suitesparse HB/bcsstk01
mkdir plugins && cp "$MODULES/libmine.so" plugins/redis.so
try nitro store list --store redis://localhost/
unset NITRO_PLUGINS

title "of a newer schema: byte 60 to 63 of an SQLite file are its user version"
cp s.db newer.db
printf '\0\0\0\143' | dd of=newer.db bs=1 seek=60 conv=notrunc status=none
try nitro store list --store newer.db
try nitro store import --store newer.db --computation calc --device gpu --samples samples.csv
try nitro tune spmv --generate 1 --store newer.db --quiet

title "damaged: a record is not what was written"
cp s.db damaged.db
sed -i 's/one/oen/g' damaged.db
try nitro store verify --store damaged.db
try nitro store verify --store s.db
nitro store publish --store damaged.db --output www --json >www.json 2>www.txt
echo "exit $?"
cat www.txt
json_get bundles samples <www.json
