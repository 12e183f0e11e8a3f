nitro fetch suitesparse a/b --url http://127.0.0.1:1 2>&1 | grep -q 'this build cannot' &&
    echo "SKIP: this build cannot download" && exit
command -v python3 >/dev/null || { echo "SKIP: no python3 here to serve with" && exit; }

mkdir -p www/HB west bad
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 3\n2 3 4.5\n' >west/west.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 3\n' >bad/bad.mtx
tar czf www/HB/west.tar.gz west
tar czf www/HB/bad.tar.gz bad
mkfifo hold
python3 "$TESTS/../http_server.py" www log >port <hold &
exec 9>hold
until [[ -s port ]]; do sleep 0.05; done
url=http://127.0.0.1:$(cat port)/ok
fetch() {
    try nitro fetch suitesparse "$@" --url "$url" | sed -E -e "s|$url|URL|g" -e 's/matrices-[0-9a-f]*/MATRICES/' -e 's/mtx\.[0-9a-f]{16}/mtx.DRAFT/'
}

title "fetched once, then from the cache; fit for use"
fetch HB/west
fetch HB/west --json
grep -c west.tar.gz log
nitro run spmv --input "$(nitro fetch suitesparse HB/west --url "$url")" --json | json_get input description

title "what cannot be had is named, the others are fetched"
fetch HB/bad HB/none HB/west

title "wrong usage"
fetch west
fetch HB/../west
fetch HB/west --max-size 0
try nitro fetch suitesparse
try nitro fetch florida HB/west
try nitro fetch suitesparse HB/west --url ftp://127.0.0.1/
try nitro fetch suitesparse HB/west --url http://127.0.0.1:1 | sed -E 's/after [0-9]+ ms/after N ms/'
exec 9>&-
wait
