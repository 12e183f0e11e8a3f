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
