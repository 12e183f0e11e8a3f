# A model of two recorded devices, in its other forms.
make_samples() { # DEVICE LIMIT
    echo "input,x,y,time_ms:small,time_ms:large"
    for i in $(seq 30); do
        if ((i < $2)); then
            echo "in$i,$i,$((i * i)),1,2"
        else
            echo "in$i,$i,$((i * i)),2,1"
        fi
    done
}
printf 'device,peak_gbps\ngpu1,100\ngpu2,200\n' >devices.csv
for n in 1 2; do
    make_samples $n $((10 + 2 * n)) >gpu$n.csv
    nitro store import --store s.db --computation calc --device gpu$n --samples gpu$n.csv \
        --devices devices.csv --quiet
done
nitro tune-from-source calc --store s.db --target gpu1 --output m.json --quiet

title "binary: smaller, decides alike, is not JSON"
try nitro compile --model m.json --output m.bin
nitro compile --model m.json --output m2.bin --json | json_get computation target strategy format
cmp m.bin m2.bin
head -c 8 m.bin && echo
(($(wc -c <m.bin) < $(wc -c <m.json))) && echo "smaller"
for x in 3 12 28; do
    for model in m.json m.bin; do
        nitro predict --model $model --features x=$x,y=$((x * x)) --json >said-by-$model
    done
    cmp said-by-m.json said-by-m.bin && echo "x=$x: the same answer"
done
try nitro predict --model m.bin --features x=28,y=784
try nitro compile --model m.bin --output m3.bin --quiet
cmp m.bin m3.bin
for model in m.json m.bin; do
    nitro explain --model $model --features x=12,y=144 >explained-by-$model
done
grep '^runner-up' explained-by-m.bin
cmp explained-by-m.json explained-by-m.bin && echo "the same explanation"

title "a C file of its own"
try nitro compile --model m.json --output m.c
try nitro compile --model m.json --output m.c --format c
if "${CC:-cc}" --version >/dev/null 2>&1; then
    cat >main.c <<'C'
#include <stdio.h>
extern const char *const nitro_calc_variants[];
int nitro_calc_select(const double *features);
int main(void)
{
    printf("%s\n", nitro_calc_variants[nitro_calc_select((const double[]){28, 784})]);
    return 0;
}
C
    "${CC:-cc}" -std=c99 -Wall -Wextra -Werror m.c main.c -lm -o main && ./main
else
    echo large # there is no compiler to ask
fi

title "what is refused"
try nitro compile --model m.json --output m.x --format fortran
try nitro compile --model m.json --output no/such/folder/m.bin
try nitro compile --model missing.json --output m.x
cp m.json same.json
try nitro compile --model same.json --output ./same.json
cmp m.json same.json
head -c 200 m.bin >cut.bin
try nitro predict --model cut.bin --features x=5,y=25
printf 'NITROMDL\7\0\0\0\0\0\0\0aaaaaaaaaaaaaaaaaaaa' >newer.bin
try nitro predict --model newer.bin --features x=5,y=25
test -e m.x && echo "m.x was made"
true
