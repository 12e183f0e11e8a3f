# Histograms: of images and of generated samples, here and on modelled devices.
images=$TESTS/../fuzz/seeds/image
cp "$images"/{ramp,wide,plain,cut,too-bright}.pgm "$images"/colour.ppm .

title "run: an image, without a model"
nitro run histogram --input wide.pgm >run.txt
sed -n 's/^\(input\|model\|variant\|reason\|result\)  */\1: /p' run.txt
nitro run histogram --input ramp.pgm --compare --json |
    json_get input ran variants.# variants.0.outcome variants.5.outcome

title "files that are no grayscale images"
try nitro run histogram --input cut.pgm
try nitro run histogram --input too-bright.pgm
try nitro run histogram --input colour.ppm
try nitro run histogram --input missing.png
echo "P5 3 x" >odd.pgm
try nitro run histogram --input odd.pgm

title "tune: images and generated samples; who wins is the machine's affair"
nitro tune histogram --inputs ramp.pgm wide.pgm cut.pgm plain.pgm --generate 6 --seed 2 --budget 2 --json \
    >tune.json 2>err.txt
echo "exit $?"
grep 'cut.pgm' err.txt
json_get 0.computation 0.inputs 0.samples 0.variants.# 0.variants.0.variant <tune.json
nitro run histogram --generated 100 --json | json_get computation model

title "predict: from features alone"
nitro predict --model "$XDG_DATA_HOME"/nitro/models/histogram@*.json --json \
    --features num_elements=1e6,elements_per_bin=3906.25,sub_sample_sd=0.29 | json_get computation

title "the examples of the help"
cp "$XDG_DATA_HOME"/nitro/models/histogram@*.json h.json
for command in predict explain; do
    example=$(nitro help $command | sed -n '/^  nitro .*h\.json/,/[^\\]$/p')
    eval "$example" 2>&1 | sed -n 's/^variant .*/a variant/p'
done

title "modelled devices: fewer launches win small inputs, atomics decide large ones"
try nitro tune histogram --generate 18 --device model:c2075,model:k20c,model:gtx-480 --store m.db --no-model --quiet
nitro tune-from-source histogram --store m.db --target model:gtx-770 --strategy svm --output m.json --json \
    2>/dev/null | json_get computation target strategy

title "P-DFS: histograms are bound by atomics and by memory"
try nitro profile histogram --store m.db --device model:c2075,model:k20c,model:gtx-480
nitro tune-from-source histogram --store m.db --target model:gtx-980 --strategy svm --dfs profile --output m.json 2>/dev/null |
    grep '^profiles'
