# The whole way on this machine: tune, look, run. Who wins is the machine's affair, not the test's.
title "tune"
nitro tune spmv --generate 6 --seed 3 --budget 2 --json >tune.json 2>err.txt
echo "exit $?"
grep -v '^tune' err.txt
json_get '#' 0.computation 0.device 0.modelled 0.inputs 0.samples 0.variants.# 0.model.model <tune.json
nitro store info --json | json_get url samples
nitro store info | grep -q '^spread .* % median, .* times)$' && echo "the spread is shown"
nitro store list --json | json_get 0.computation 0.variants 0.devices.0.kind 0.devices.0.samples

title "the same samples give the same model"
nitro tune spmv --generate 6 --seed 3 --quiet --output a.json >/dev/null
nitro tune spmv --generate 6 --seed 3 --quiet --output b.json >/dev/null
cmp a.json b.json
cmp a.json "$XDG_DATA_HOME"/nitro/models/spmv@*.json

title "run: a new matrix, with the model that tune made, with a named one, and without"
nitro run spmv --generated 100 --seed 3 --json | json_get computation device input model ran
nitro run spmv --generated 100 --seed 3 --json --model a.json | json_get model ran
rm -r "$XDG_DATA_HOME/nitro/models"
nitro run spmv --generated 100 --seed 3 --json | json_get model variant reason ranking ran result
nitro run spmv --generated 100 --seed 3 --compare --json |
    json_get variants.# variants.0.variant variants.0.outcome
nitro run spmv --generated 100 --seed 3 | sed -n 's/^\([a-z]*\) .*/\1/p' | tr '\n' ' '
echo
try nitro run spmv --generated 100 --model missing.json

title "progress: none when quiet, none on the standard output"
nitro tune spmv --generate 7 --seed 3 --budget 2 --quiet --no-model 2>&1 >/dev/null | grep -v 'is busy'
nitro tune spmv --generate 8 --seed 3 --budget 2 --no-model 2>/dev/null | sed -n 1p

title "progress in a log: at most a line a second, further blocks of inputs included"
SECONDS=0
NITRO_GENERATE_MB=1 nitro tune histogram --generate 20 --store blocks.db --no-model 2>err.txt >out.txt
lines=$(grep -c '^tune histogram' err.txt)
((lines <= SECONDS + 2)) || cat err.txt
grep '20 of 20.* left' err.txt

title "with one sample there is a model or a reason"
nitro tune spmv --generate 1 --budget 2 --quiet --store one.db --json | json_get 0.samples

title "a model that cannot be written is said before anything is measured"
try nitro tune spmv --generate 2 --store none.db --output nowhere/model.json
try nitro tune-from-source spmv --store one.db --target model:k20c --output nowhere/model.json
try nitro tune-from-source spmv --store one.db --target model:k20c --output .
mkdir blocked && touch blocked/nitro
XDG_DATA_HOME=$PWD/blocked try nitro tune spmv --generate 2 --store none.db
ls none.db 2>&1

title "fewer runs than the minimum are refused"
try nitro tune spmv --generate 1 --store none.db --repetitions 2 --min-repetitions 50
nitro tune spmv --generate 1 --store few.db --repetitions 2 --budget 2 --quiet --no-model --json | json_get 0.samples

title "cold caches are said, and kept apart from warm ones"
try nitro tune spmv --generate 2 --budget 2 --quiet --no-model --store one.db --cold
nitro tune spmv --generate 1 --budget 2 --quiet --no-model --store one.db --cold --again --json |
    json_get 0.samples
try nitro tune spmv --generate 1 --budget 2 --quiet --no-model --store one.db
nitro run spmv --generated 100 --cold --json | json_get cache ran
nitro run spmv --generated 100 --json | json_get cache ran
