# The recordings that ship with Nitro: all are read, and what Zen 4 taught chooses for Zen 3.
recorded=$TESTS/../../data/recorded
zen3=host:amd-epyc-2c@zen3-2t,host:amd-epyc-2c@zen3-1t

title "all are imported, none is forgotten"
while IFS=, read -r computation device samples use; do
    [[ $computation == computation ]] && continue
    nitro store import --store s.db --computation "$computation" --device "$device" \
        --samples "$recorded/$samples" --devices "$recorded/devices.csv"
    [[ $use == learn || $use == keep ]] || echo "$samples: $use?"
done <"$recorded/recordings.csv"
(cd "$recorded" && ls -- *-*.csv) | sort >files.txt
cut -d , -f 3 "$recorded/recordings.csv" | tail -n +2 | sort | diff - files.txt

title "auto is better than the variant that was best on the sources"
for computation in spmv sort transpose_inplace solver; do
    zen4=$(grep "^$computation,.*epyc-2c@[12]t" "$recorded/recordings.csv" | cut -d , -f 2 | paste -sd ,)
    nitro evaluate "$computation" --store s.db --sources "$zen4" --targets "$zen3" --method fixed,auto \
        --train-fraction 0.7 --format csv --quiet |
        awk -F, -v computation="$computation" 'NR > 1 { sum[$2] += $4 }
            END { print computation ": " (sum["auto"] > sum["fixed"] ? "yes" : "no: " sum["auto"] / 2 " against " sum["fixed"] / 2) }'
done
