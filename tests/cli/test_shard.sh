title "shards have each input once; together they are the whole"
nitro tune spmv --generate 5 --device model:k20c --store whole.db --no-model --quiet >/dev/null
for i in 1 2; do
    nitro tune spmv --generate 5 --device model:k20c --shard $i/2 --store shard$i.db --quiet | head -1
    nitro store copy sqlite:shard$i.db sqlite:all.db | tail -1
done
for name in whole all; do
    nitro store export --store $name.db --computation spmv --device model:k20c --samples $name.csv >/dev/null
done
cmp whole.csv all.csv && wc -l <all.csv

title "the job scripts"
nitro() { # without measuring and learning
    case $1 in
    tune | learn) echo "nitro $*" ;;
    *) command nitro "$@" ;;
    esac
}
export -f nitro
mkdir nitro-stores inputs && cp shard1.db shard2.db nitro-stores && touch inputs/a.mtx inputs/b.mtx
job() { sed 's/^exec //' "$TESTS/../../examples/slurm/$1.sbatch" | bash -; }
export SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=8
COMPUTATION=spmv job tune
COMPUTATION=spmv INPUTS=inputs DEVICE=cuda job tune
COMPUTATION=spmv job learn | tail -1
unset -f nitro
nitro store export --store nitro-stores/all.db --computation spmv --device model:k20c --samples job.csv >/dev/null
cmp whole.csv job.csv && echo same

title "what is wrong"
for shard in 0/2 3/2 2 a/b 1/2x -1/2 1/-2 9/9; do
    try nitro tune spmv --generate 5 --device model:k20c --shard $shard --store bad.db
done
try nitro tune spmv --generate 5 --device model:k20c --shard 1/2 --output m.json
