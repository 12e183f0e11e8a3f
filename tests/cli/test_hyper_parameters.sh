# Hyper-parameters by LODO validation: the fastest variant changes every twelve inputs along one
# feature, for which the usual kernels are too wide.
samples() {
    awk 'BEGIN {
        print "input,size,time_ms:even,time_ms:odd"
        for (i = 0; i < 150; i++)
            print "in" i "," 1000 + 5 * i "," (int(i / 12) % 2 ? "1.4,1.0" : "1.0,1.4")
    }'
}
cat >devices.csv <<'END'
device,sm_count,peak_gbps
a,10,100
b,13,120
c,16,140
new,19,160
END
samples >samples.csv
nitro store import --store s.db --devices devices.csv --device new
for device in a b c; do
    nitro store import --store s.db --computation stripes --device $device --samples samples.csv \
        --devices devices.csv
done
# How good is no matter here.
learn() {
    try nitro tune-from-source stripes --store s.db --target new --output m.json "$@" |
        sed -e 's/[0-9.]* %/.. %/g' -e 's/^\(strategy .*\) (.*/\1/'
}

title "a strategy that has others to choose from"
learn --strategy kernel-ridge
title "two sources choose nothing"
learn --strategy kernel-ridge --sources a,b
title "hyper-parameters of the ensemble members"
learn
