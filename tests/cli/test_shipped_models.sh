# The models that ship with Nitro: made from data/recorded and from modelled devices, found where the user has none.
recorded=$TESTS/../../data/recorded
export OMP_NUM_THREADS=1 XDG_DATA_DIRS=$PWD/share

title "for hosts and for two cards"
"$recorded/make_models.sh" "$(command -v nitro)" share/nitro/models gtx-980 v100-pcie-16gb
cut -d , -f 1 share/nitro/models/shipped.csv | sort
(($(cat share/nitro/models/* | wc -c) < 1000000)) || echo "too large"

title "the same bytes again"
"$recorded/make_models.sh" "$(command -v nitro)" again gtx-980 v100-pcie-16gb
cmp share/nitro/models/shipped.csv again/shipped.csv
for file in share/nitro/models/*.bin; do cmp "$file" "again/$(basename "$file")"; done

title "used without a model of one's own, and called so"
nitro run spmv --generated 3 | grep -A 1 '^model' | sed "s|$PWD|HERE|"
nitro run spmv --generated 3 --json | json_get shipped_from
nitro explain --model share/nitro/models/histogram@cuda:nvidia-geforce-gtx-980.bin \
    --features num_elements=1000000,elements_per_bin=3906,sub_sample_sd=1 | grep shipped

# Without columns that depend on the machine: the age, and the width of its name.
models() {
    nitro models "$@" 2>&1 | sed "s|$PWD|HERE|; s/ [0-9]* min / AGE /; s/   */  /g"
}

title "what programs find and use: here, on a card, on a card that has none"
models
models --device cuda:nvidia-geforce-gtx-980 spmv
models --device cuda:nvidia-geforce-gtx-980 --device cuda:nvidia-tesla-v100-pcie-16gb histogram --json | json_get 0.device 0.used_by.0 0.ships 0.learnt_from 1.used_by.0
models --device cuda:nvidia-nothing
models --all --device host spmv
try nitro models --device model:k20c

title "the user's own comes first; one that does not fit is named"
nitro tune spmv --generate 12 --store s.db --quiet >tune.txt 2>&1 || cat tune.txt
nitro run spmv --generated 3 | grep '^model'
models spmv
for file in "$XDG_DATA_HOME"/nitro/models/*.json; do echo '{' >"$file"; done
models spmv

title "files whose names are not UTF-8 are listed too"
mkdir -p names/nitro/models
touch names/nitro/models/sort@$'\xff'.json names/nitro/models/$'\xff'.json
XDG_DATA_HOME=$PWD/names XDG_DATA_DIRS=$PWD/none models --all --device host sort
