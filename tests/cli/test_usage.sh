title "commands"
try nitro tuen
try nitro store lst
try nitro store
try nitro help tunes
try nitro help nope
try nitro help spmv
try nitro help --completion tcsh
try nitro help store bogus
try nitro completely-unknown

title "options"
try nitro predict --modle m.json
try nitro predict --zzz
try nitro predict -m m.json
try nitro predict --model
try nitro predict --model --json
try nitro predict --model m.json
try nitro predict --json=yes
try nitro predict --model= --features a=1
try nitro evaluate
try nitro evaluate a b
touch a.mtx
try nitro tune spmv a.mtx
rm a.mtx
try nitro evaluate a --format yaml
try nitro evaluate a --method full,best
try nitro evaluate a --train-fraction 1.5
try nitro evaluate a --train-fraction half
try nitro evaluate a --seed -1
try nitro evaluate a --seed 99999999999999999999
try nitro evaluate a --targets a,,b
try nitro tune-from-source a --target b
try nitro tune-from-source a --target b --output m.json --strategy magic
try nitro tune-from-source a --target b --output m.json --dfs magic
try nitro compile --model m.json --output -
try nitro report --output -
try nitro evaluate --recorded -
try nitro evaluate --recorded a.csv ''
try nitro store pull '' --store s.db
try nitro devices similarity
try nitro store import --computation a --device b

title "tune and run"
try nitro tune
try nitro tune spmv
try nitro tune smpv --generate 1
try nitro tune spmv --generate 1 --device nothing
try nitro tune spmv --generate 1 --repetitions 0
try nitro tune spmv --generate 1 --device model:k20c,model:c2075 --output m.json
try nitro tune spmv --generate 1 --output m.json --no-model
try env -u HOME -u XDG_DATA_HOME nitro tune spmv --generate 1 --store s.db
try nitro tune spmv --inputs a/x.mtx b/x.mtx
try nitro tune spmv --inputs a/x.mtx b/x.mtx --name-parts 0
try nitro tune spmv --inputs a/x.mtx a/x.mtx.gz --name-parts 2 # no other folder
try nitro run spmv
try nitro run spmv --input a --generated 1

title "nothing was made"
ls
ls "$XDG_DATA_HOME" 2>&1 | sed 's/.*: //'

title "results that cannot be written are a failure"
nitro version >/dev/full 2>err.txt
echo "exit $?"
cat err.txt
nitro config --json >/dev/full 2>err.txt # more than a buffer
echo "exit $?"
cat err.txt
