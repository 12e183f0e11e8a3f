# Settings: the table, where values come from, what is malformed.
export NITRO_CONFIG=nitro.conf
printf 'log = info\n[spmv]\nforce = ell\n' >nitro.conf
try nitro config
NITRO_FORCE=csr try nitro config spmv
try nitro config spmv --json
echo 'lgo = info' >nitro.conf
try nitro config
NITRO_CONFIG=missing.conf try nitro config
NITRO_CONFIG=/dev/null NITRO_STORE=sqlite:none.db try nitro store info

title "nitro run obeys what programs obey"
export NITRO_CONFIG=/dev/null
run() {
    nitro run spmv --generated 100 --repetitions 1 --json "$@" | json_get variant reason model
}
NITRO_FORCE=spmv=ell run
NITRO_FORCE=histogram=sort_atomic run
NITRO_MODEL=nosuch.json try nitro run spmv --generated 100
NITRO_MODEL= run
NITRO_FORCE=spmv=none try nitro run spmv --generated 100
NITRO_MIN_CONFIDENCE=2 try nitro run spmv --generated 100
