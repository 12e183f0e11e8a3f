# A user's computation from a shared object: measured, learnt, run, like the built-in one.
mine=$MODULES/libmine.so
numbers() {
    printf '%s\n' "${@:2}" >"$1.txt"
}
numbers few 1 2 3
numbers many 1 2 3 4 5 6
numbers negative 1 -2 3
numbers crash 1 2 1500
numbers hang 1 2 2500
echo "not a number" >bad.txt

title "bad modules"
try nitro tune ./missing.so --generate 1
try nitro tune "$MODULES/libmine_of_other_version.so" --generate 1
try nitro tune "$MODULES/libmine_without_entry.so" --generate 1
try nitro tune ./few.txt --generate 1
try nitro tune "$MODULES/libmine_on_nothing.so" --generate 1

title "a module is for one kind of device; modelled ones will do for any"
try nitro tune "$MODULES/libmine_on_abacus.so" --generate 1 --store s.db
try nitro run "$MODULES/libmine_on_abacus.so" --generated 1
try nitro run "$mine" --generated 1 --device model:k20c
try nitro tune "$MODULES/libmine_on_abacus.so" --generate 1 --store s.db --device model:k20c
ls s.db 2>&1

title "a variant that fails costs its entry alone"
nitro tune "$mine" --inputs few.txt many.txt negative.txt crash.txt hang.txt bad.txt --generate 3 \
    --budget 2 --blocks 1 --timeout 0.3 --store s.db --no-model --json >tune.json 2>err.txt
echo "exit $?"
grep -v '^tune' err.txt | sed 's/call [0-9]*/call N/'
json_get 0.computation 0.inputs 0.samples 0.variants.1.without_time 0.variants.2.without_time \
    0.variants.3.without_time 0.variants.4.without_time <tune.json
nitro store list --store s.db --json | json_get 0.computation 0.variants 0.features 0.devices.0.samples

nitro tune "$mine" --inputs crash.txt --budget 2 --store crash.db --no-model 2>err.txt |
    grep ' sample\|no time on'

title "what is stored is not measured again, unless it is wanted"
nitro tune "$mine" --inputs few.txt many.txt --generate 4 --budget 2 --blocks 1 --store s.db --no-model \
    --quiet --json | json_get 0.inputs
nitro tune "$mine" --inputs few.txt many.txt --generate 4 --budget 2 --store s.db --no-model \
    --quiet --json --again | json_get 0.inputs

title "a model of it, and a run"
nitro tune "$mine" --generate 12 --budget 2 --store s.db --quiet --json --output mine.json \
    2>err.txt | json_get 0.model.computation 0.model.model
grep -v 'is the fastest variant on every input' err.txt # by real times, it may be
for input in few crash; do
    nitro run "$mine" --input $input.txt --model mine.json --json 2>err.txt |
        json_get computation input description model ran
done
nitro run "$mine" --generated 5 --model mine.json --compare --json --timeout 0.3 |
    json_get input variants.# variants.4.variant
try nitro run "$mine" --input bad.txt --model mine.json
nitro run "$mine" --input few.txt | grep '^model'
try nitro run spmv --generated 1 --model mine.json
try nitro tune "$mine" --inputs few.txt --name-parts 2 --store s.db --device model:k20c

title "a loader or a feature that ends a command which needs the input itself"
cp few.txt crashes.txt
cp few.txt exits.txt
numbers huge 1 2 3500
fatal() { # without what the shell says of a signal
    (try "$@") 2>/dev/null
}
fatal nitro run "$mine" --input crashes.txt --model mine.json
fatal nitro run "$mine" --input huge.txt --model mine.json
fatal nitro explain "$mine" --input crashes.txt --model mine.json
fatal nitro explain "$mine" --input exits.txt --model mine.json
fatal nitro features "$mine" few.txt huge.txt

title "the models that programs find for it: one beside the shared object"
mkdir beside && cp "$mine" mine.json beside/
nitro models beside/libmine.so --json | json_get \# 0.computation 0.device 0.used_by.\#
echo "{}" >beside/mine@host.json
nitro models beside/libmine.so --json | json_get \# 0.used_by.\# 1.refused 1.used_by.\#
try nitro models beside/libmine.so spmv
try nitro models nothing neither

title "a module of two computations"
both=$MODULES/libmine_and_sum.so
try nitro tune "$both" --generate 1
try nitro tune "$both:product" --generate 1
nitro tune "$both:sum" --inputs few.txt negative.txt --budget 2 --store two.db --no-model --json \
    2>err.txt | json_get 0.computation 0.variants.1.without_time
nitro run "$both:mine" --input few.txt --json | json_get computation

title "the code of a variant makes its times valid, not what else is in the module"
tune() {
    nitro tune "$@" --inputs few.txt many.txt --budget 2 --blocks 1 --store code.db --no-model --json \
        2>err.txt | json_get 0.inputs
    grep -v '^tune' err.txt | sed 's/on [^ ]*:/on HOST:/'
}
tune "$mine"
tune "$both:mine"
if [[ $(uname -m) =~ ^(x86_64|aarch64)$ ]]; then
    tune "$MODULES/libmine_unoptimized.so"
else # there is no digest of the code
    printf '%s\n' '0.inputs: {"total":2,"measured":2,"found_in_store":0,"failed":0}'
fi

title "a loader that prints does not mix with results; one that fails without a message; inputs of one name"
numbers loud 1 2 3
for command in features "run --input" "predict --model mine.json --input"; do
    read -r name options <<<"$command"
    nitro $name "$mine" $options loud.txt --json 2>err.txt | python3 -c 'import json, sys; json.load(sys.stdin)' &&
        grep loading err.txt
    try nitro $name "$mine" $options mute.txt
done
nitro tune "$mine" --inputs loud.txt --budget 2 --store loud.db --no-model --json 2>err.txt | json_get 0.inputs
try nitro tune "$mine" --generate 2 --seed 404 --store s.db
