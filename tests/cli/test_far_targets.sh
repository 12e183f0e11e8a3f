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
title "measurements, where there is nothing to measure"
learn --target far --measure 5
