# Targets of which the sources say little: one source, sources that are all the same, no device
# feature in common, far away; and what may be measured there.
samples() {
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        echo "in$i,$((i * 100)),$((i * i * 70)),0.$((i + 10)),0.$((40 - 2 * i))"
    done
}
(echo "input,rows,nnz,time_ms:fast,time_ms:slow" && samples) >samples.csv
cat >same.csv <<'END'
device,peak_gbps,cuda_cores
one,100,500
two,100,500
near,110,500
far,90000,400000
END
cat >other.csv <<'END'
device,l2_cache_size
three,512
END
nitro store import --store s.db --devices same.csv --device near,far
nitro store import --store s.db --devices other.csv
for device in one two; do
    nitro store import --store s.db --computation calc --device $device --samples samples.csv \
        --devices same.csv
done
# How good is no matter here.
learn() {
    try nitro tune-from-source calc --store s.db --output m.json "$@" |
        sed -e 's/[0-9.]* %/.. %/g' -e 's/^\(strategy .*\) (.*/\1/'
}

title "one source"
learn --target near --sources one
title "two of the same values, and a target like them, far away, of which nothing is known"
learn --target near
learn --target far
learn --target three
learn --target three --strategy svm --dfs cv
learn --target three --strategy svm --dfs none
title "three sources of the target's own stack, and others"
more() {
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
        echo "in$i,$((i * 100)),$((i * i * 70)),0.$((i + 10)),0.$((40 - i))"
    done
}
(echo "input,rows,nnz,time_ms:fast,time_ms:slow" && more) >more.csv
cat >stacks.csv <<'END'
device,vendor,software,peak_gbps,cuda_cores
a1,V,new v2,100,500
a2,V,new v2,110,600
a3,V,new v2,120,700
b1,V,old v1,130,800
b2,V,old v1,140,900
own,V,new v2,115,650
END
nitro store import --store k.db --devices stacks.csv --device own
for device in a1 a2 a3 b1 b2; do
    nitro store import --store k.db --computation calc --device $device --samples more.csv \
        --devices stacks.csv
done
try nitro tune-from-source calc --store k.db --target own --output m.json |
    sed -e 's/ (LODO: [0-9.]* %)//g' -e 's/ (held.*//'
title "measurements, where there is nothing to measure"
learn --target far --measure 5
