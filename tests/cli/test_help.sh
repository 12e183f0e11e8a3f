try nitro
try nitro help predict
try nitro store --help
try nitro store
try nitro help store remove
try nitro help --man predict

title "every option of a synopsis is in the table, every command has a man page"
mkdir man
try nitro help --man-directory man
nitro help | sed -n '/^Commands:/,/^$/p' | sed -n 's/^  \([a-z-]*\( [a-z]*\)\?\)  .*/\1/p' |
    while read -r -a words; do
        nitro help "${words[@]}" >help.txt
        test -s "man/nitro-$(IFS=-; echo "${words[*]}").1" || echo "no man page: ${words[*]}"
        sed -n '1,/^$/p' help.txt | grep -o -- '--[a-z-]*' | while read -r option; do
            grep -q -- "^  $option" help.txt || echo "${words[*]}: $option is not explained"
        done
        awk 'length > 80 { print FILENAME ": too wide: " $0 }' help.txt
    done
if command -v groff >/dev/null; then
    for page in man/*; do
        groff -man -Tutf8 -ww -z "$page" 2>&1
    done
fi
