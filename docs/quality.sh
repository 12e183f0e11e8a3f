#!/usr/bin/env bash
# The table of docs/quality.md with sources of all stacks: mean quality of methods over seeds 1 to 3.
# Usage: quality.sh STORE [NITRO]; STORE has the eleven recordings as devices, each with its vendor
# and software (nitro store import --devices), with variants coo, csr, ell, hybrid and sellp.
set -euo pipefail

readonly store=$1 nitro=${2:-nitro}
readonly seeds='1 2 3' methods=fixed,majority,pooled,svm-cost,forest,auto,native
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

# TARGET SOURCES: a row of means over seeds, in the order of the methods.
row() {
    local seed
    for seed in $seeds; do
        "$nitro" evaluate spmv --store "$store" --targets "$1" --sources "$2" --method "$methods" \
            --group-by / --seed "$seed" --quiet --format csv
    done | awk -F, -v target="$1" -v methods="$methods" -v sources="$2" '
        $1 == target { sum[$2] += $4; count[$2]++ }
        END {
            printf "| %s | %d", target, split(sources, unused, ",")
            for (m = 1; m <= split(methods, names, ","); m++)
                printf " | %.2f", sum[names[m]] / count[names[m]]
            print " |"
        }'
}

echo "| target | sources | ${methods//,/ | } |"
echo "|---|---|---|---|---|---|---|---|---|"
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
