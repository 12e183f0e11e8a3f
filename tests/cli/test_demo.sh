# The demonstration, with few matrices: it tells its story and leaves nothing behind.
demo=$TESTS/../../apps/demo.sh
mkdir temporary
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n2 2 2.0\n' >mine.mtx
export NITRO
NITRO=$(command -v nitro)
TMPDIR=$PWD/temporary "$demo" --generate 5 mine.mtx >out.txt 2>err.txt
echo "exit $?"
grep -v '^tune spmv on\|is busy' err.txt
grep '^====\|^\$ nitro' out.txt | sed "s|$PWD/||"
grep -o '^spmv on host[^ ]* [0-9]* samples\|^spmv on model:[^ ]* ([a-z]*' out.txt
sed -n '/^target/,/^$/p' out.txt | cut -c 1-34
ls temporary
try "$demo" --generate many
try "$demo" --faster
try "$demo" missing.mtx
