# shellcheck shell=bash
# The packed folder needs nothing of this machine but the kernel: its programs run with its own loader
# and libraries alone.
script=$TESTS/../../apps/pack-device-run
build=$(dirname -- "$(dirname -- "$(command -v nitro)")")
if [[ $(ldd "$build/bin/nitro") == *libasan* ]]; then
    echo "SKIP: sanitizers are not packed"
    exit
fi

title "usage"
try "$script" --output
try "$script" --build /nonexistent

title "a packed build runs elsewhere"
ln -s "$build/lib" "a space"
LD_LIBRARY_PATH="$PWD/a space" "$script" --build "$build" --output run >out.txt || cat out.txt
mv run elsewhere && ls elsewhere run.tar.zst
(($(du -sm elsewhere | cut -f 1) <= 60)) || echo "more than 60 MB: $(du -sh elsewhere)"
env -i elsewhere/bin/nitro version | head -n 1
env -i "$PWD/elsewhere/run" --help | head -n 1
env -i HOME="$PWD" NITRO_GENERATE_MB=1 elsewhere/bin/nitro tune histogram --device host --generate 1 --repetitions 1 \
    --no-model --store sqlite:lab.db --quiet >/dev/null && nitro store list --store sqlite:lab.db | grep -c ^histogram
env -i HOME="$PWD" NITRO_GENERATE_MB=1 elsewhere/bin/nitro features sort --generate 1 2>&1 | grep highway # its plug-in is there
find elsewhere/lib -name '*curl*' -o -name '*hiredis*'
loader=("$PWD"/elsewhere/lib/ld-linux*)
"${loader[0]}" --library-path "$PWD/elsewhere/lib" --list elsewhere/programs/nitro |
    awk '$2 == "=>" {print $3}' | grep -v '/elsewhere/lib/'
