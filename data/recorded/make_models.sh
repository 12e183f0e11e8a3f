#!/usr/bin/env bash
# Makes the models that ship with Nitro: for hosts from the recordings here, for the cards of
# data/devices/nvidia.csv from modelled devices. The same program makes the same bytes.
# Usage: make_models.sh NITRO FOLDER [CARD...]; cards by their id in nvidia.csv (default: all).
set -euo pipefail

nitro=$(readlink -f -- "$1")
mkdir -p "$2"
output=$(cd -- "$2" && pwd -P)
shift 2
cards=" $* "
recorded=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
devices=$recorded/../devices
work=$(mktemp -d)
cd "$work"
# Modelled sources are far from many cards, and the program warns of each: shown only where something fails.
trap 'failed=$?; ((failed == 0)) || cat messages.txt >&3; rm -rf "$work"' EXIT
exec 3>&2 2>messages.txt
export LC_ALL=C HOME=$work XDG_DATA_HOME=$work XDG_CONFIG_HOME=$work
unset "${!NITRO_@}"
export NITRO_GENERATE_MB=spmv=32,histogram=32 # the sizes of the modelled inputs

# A model that serves all hosts is learnt from the recordings of each computation that `learn` says, together: for a
# device of which nothing is known, so that none of them counts more.
hosts() {
    local computation id samples sources
    printf '%s\n' device,kind host:any,host >any.csv
    "$nitro" store import --store hosts.db --devices any.csv --quiet >/dev/null
    while read -r computation; do
        sources=
        while IFS=, read -r id samples; do
            "$nitro" store import --store hosts.db --computation "$computation" --device "$id" \
                --samples "$recorded/$samples" --devices "$recorded/devices.csv" --quiet >/dev/null
            sources+=${sources:+,}$id
        done < <(awk -F, -v computation="$computation" '$1 == computation && $4 == "learn" { print $2 "," $3 }' "$recorded/recordings.csv")
        "$nitro" tune-from-source "$computation" --store hosts.db --sources "$sources" --target host:any \
            --output model.json --quiet >/dev/null
        add model.json "$computation@host.bin" "the project's recordings of ${sources//,/ and }"
    done < <(awk -F, '$4 == "learn" { print $1 }' "$recorded/recordings.csv" | uniq)
}

# The rows of nvidia.csv under the ids that the device kind cuda gives cards, by their drivers' names.
name_cards() {
    awk -F, -v cards="$cards" 'NR == 1 { print; next }
        cards !~ /^ +$/ && !index(cards, " " $1 " ") { next }
        {
            row = substr($0, length($1) + 1)
            count = split($3, names, ";")
            for (i = 1; i <= count; i++) {
                id = tolower(names[i])
                gsub(/[^a-z0-9]+/, "-", id)
                gsub(/^-|-$/, "", id)
                id = "cuda:nvidia-" id
                if (id in seen) continue
                seen[id] = 1
                print id row
            }
        }' "$devices/nvidia.csv"
}

readonly modelled=model:k20c,model:c2075,model:gtx-980,model:gtx-770,model:gtx-750-ti,model:gtx-480

# COMPUTATION CARD
card() {
    "$nitro" tune-from-source "$1" --store cards.db --sources "$modelled" --target "$2" --strategy tree \
        --threads 1 --output "$1@$2.json" --quiet >/dev/null
    add "$1@$2.json" "$1@$2.bin" "a cost model of six GPUs (no measurements)"
}

cards() {
    local computation
    local -A inputs=([spmv]=225 [histogram]=150)
    name_cards >cards.csv
    "$nitro" store import --store cards.db --devices cards.csv --quiet >/dev/null
    for computation in spmv histogram; do
        "$nitro" tune "$computation" --generate "${inputs[$computation]}" --device "$modelled" --store cards.db --no-model --quiet >/dev/null
        cut -d , -f 1 cards.csv | tail -n +2 |
            xargs -P "$(nproc)" -I CARD bash -euo pipefail -c 'card "$1" CARD' card "$computation"
    done
}

# FILE NAME LEARNT-FROM
add() {
    "$nitro" compile --model "$1" --output "$output/$2" --quiet
    echo "$2,$3" >>shipped.csv
}

export -f add card
export nitro output modelled
hosts
cards
(echo 'file,learnt from' && sort shipped.csv) >"$output/shipped.csv"
