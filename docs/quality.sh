#!/usr/bin/env bash
# The second table of docs/quality.md, sources of all stacks: quality of auto and of the best other
# method by seeds 1 to 3, and what auto expected and was confident of.
# Usage: quality.sh STORE [NITRO]; STORE has the eleven recordings as devices, each with its vendor
# and software (nitro store import --devices), with variants coo, csr, ell, hybrid and sellp.
set -euo pipefail

readonly store=$1 nitro=${2:-nitro}
readonly seeds='1 2 3' methods=fixed,majority,pooled,svm-cost,forest,nearest,auto,mixture,native
readonly devices='K20Xm K40m K40m_2018sep MI100 RadeonVII V100 V100_SXM2 V100_summit Xeon_Gold_6230
titanV titanV_2018sep'

# Stacks of one card: never each other's source here.
twins() {
    case $1 in
    K40m*) echo 'K40m K40m_2018sep' ;;
    titanV*) echo 'titanV titanV_2018sep' ;;
    V100*) echo 'V100 V100_SXM2 V100_summit' ;;
    *) echo "$1" ;;
    esac
}

all_but() {
    local device
    for device in $devices; do
        [[ " $(twins "$1") " == *" $device "* ]] || echo "$device"
    done | paste -sd,
}

# TARGET SOURCES: one row.
row() {
    local seed
    for seed in $seeds; do
        "$nitro" evaluate spmv --store "$store" --targets "$1" --sources "$2" --method "$methods" \
            --group-by / --seed "$seed" --quiet --format csv | sed "s/^/$seed,/"
    done | awk -F, -v target="$1" -v sources="$2" '
        $2 != target { next }
        $3 == "auto" {
            autos = autos sprintf("%s%.2f", autos ? " / " : "", $5)
            expected = expected ($15 == "" ? "" : sprintf("%s%.1f", expected ? " / " : "", $15))
            confident = confident sprintf("%s%.0f", confident ? " / " : "", $10)
            precise = precise ($11 == "" ? "" : sprintf("%s%.0f", precise ? " / " : "", $11))
            next
        }
        $3 == "mixture" { mixture += $5; next }
        $3 == "native" { native += $5; seeds++; next }
        { sum[$3] += $5 }
        END {
            for (method in sum)
                if (best == "" || sum[method] > sum[best])
                    best = method
            printf "| %s | %d | %s | %s | %s | %s | %.2f (%s) | %.2f | %.2f | %.2f |\n", target,
                   split(sources, unused, ","), autos, expected, confident, precise,
                   sum[best] / seeds, best, sum["nearest"] / seeds, mixture / seeds, native / seeds
        }'
}

echo "| target | sources | auto | predicted | confident | precision | best other | nearest | weight oracle | native |"
echo "|---|---|---|---|---|---|---|---|---|---|"
for device in $devices; do
    row "$device" "$(all_but "$device")"
done
row MI100 RadeonVII
row MI100 RadeonVII,V100,titanV,K40m
row RadeonVII MI100,V100,titanV,K40m
row titanV K40m,V100_summit
row V100 titanV,K40m,RadeonVII,MI100
for device in K20Xm K40m_2018sep V100_SXM2 titanV_2018sep; do
    row "$device" "$(printf '%s\n' K20Xm K40m_2018sep V100_SXM2 titanV_2018sep | grep -vx "$device" | paste -sd,)"
done
