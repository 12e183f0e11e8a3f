#!/usr/bin/env bash
# The demonstration: one user measures and dispatches on this machine's processor; another gets a
# model for a device that nobody measured. Works in a temporary folder and removes it.
set -euo pipefail

usage() {
    cat <<'END'
Usage: demo.sh [--generate N] [--keep] [MATRIX-MARKET-FILE...]

  --generate N  tune on N generated matrices (default: 60), besides the files given
  --keep        keep the store and the models, and say where
  --help        print this

NITRO names the program to use (default: build/bin/nitro beside the sources).
END
}

generate=60
keep=
files=()
while (($# > 0)); do
    case $1 in
    --generate)
        generate=${2:-}
        [[ $generate =~ ^[1-9][0-9]*$ ]] || { echo "demo: --generate needs a number" >&2 && exit 2; }
        shift
        ;;
    --keep) keep=yes ;;
    -h | --help) usage && exit 0 ;;
    -*) echo "demo: unknown option $1" >&2 && usage >&2 && exit 2 ;;
    *)
        [[ -r $1 ]] || { echo "demo: cannot read $1" >&2 && exit 1; }
        files+=("$(realpath -- "$1")")
        ;;
    esac
    shift
done

sources=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
program=$(realpath -- "${NITRO:-$sources/build/bin/nitro}")
[[ -x $program ]] || { echo "demo: $program is not there; build it with ./bootstrap build" >&2 && exit 1; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/nitro-demo.XXXXXX")
trap '[[ $keep ]] || rm -rf "$folder"' EXIT
cd -- "$folder"
export XDG_DATA_HOME=$folder/data NITRO_GENERATE_MB=spmv=48,histogram=128

say() {
    printf '\n'
    fmt -w 80 <<<"$*"
}

# Show a command as it would be typed, then run it.
show() {
    printf '\n$ nitro'
    printf ' %s' "$@"
    printf '\n'
    "$program" "$@"
}

say "NITRO: a computation has several variants; which one is fastest depends on the input and on" \
    "the device. Here: sparse matrix times vector (SpMV) in seven formats."

printf '\n==== 1. The owner of a device measures, and dispatches ====\n'
say "Every variant is timed on every matrix; times count only where the result is right. Each" \
    "sample is stored at once: a killed tune resumes where it stopped."
if ((${#files[@]} > 0)); then
    show tune spmv --generate "$generate" --budget 40 --inputs "${files[@]}"
else
    show tune spmv --generate "$generate" --budget 40
fi
say "No variant wins everywhere, and always using one costs what the column slowdown says. The" \
    "model that was learnt from these samples now decides for matrices that it has not seen:"
show run spmv --generated 1003 --compare
show run spmv --generated 1009 --compare

printf '\n==== 2. The owner of a new device measures nothing ====\n'
say "Other people's measurements are in a shared store. Five GPUs of the paper's Table 1 stand in" \
    "for them: their device features are real, their times are modelled (they come from a" \
    "documented cost model and are never a result)."
modelled=$((generate + 40)) # no variant runs there, so more matrices cost little
known=model:gtx-480,model:c2075,model:k20c,model:gtx-750-ti,model:gtx-980
show tune spmv --generate "$modelled" --device "$known" --store shared.db --no-model --quiet |
    sed -n '/^\$/{s/^/\n/;p}; /^spmv on/p'
say "The sixth, a GTX 770, is new. Its model comes from the five others and from what the device" \
    "says of itself; no variant is run there:"
show tune-from-source spmv --store shared.db --target model:gtx-770 --output gtx-770.json

say "How good would its choices be? Only to answer that are its own times needed. Quality is the" \
    "best variant's time over the chosen one's, in percent:"
show tune spmv --generate "$modelled" --device model:gtx-770 --store shared.db --no-model --quiet |
    sed -n '/^\$/{s/^/\n/;p}; /^spmv on/p'
show evaluate spmv --store shared.db --targets model:gtx-770 --train-fraction 0.5 --quiet \
    --method random,fixed,majority,pooled,full,forest,auto,native
say "random picks any variant; fixed is the best single one on the five sources; majority, pooled," \
    "full, forest and auto learn from the sources alone: pooled by input features, full by all" \
    "device features besides, forest by features that relate input and device. auto, which made" \
    "the model above, averages kernel-ridge with boosted trees. native learns from measurements on the new" \
    "device itself, which five sources with more data may exceed."

say "Done in $SECONDS seconds."
if [[ $keep ]]; then
    printf 'The store and the models are in %s\n' "$folder"
fi
