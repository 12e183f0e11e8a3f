# shellcheck shell=bash
# Where no GPU is, the script is tested by what it would do: every nitro command of it is one that
# this nitro understands, and a step that fails does not end the rest.
script=$TESTS/../../apps/record-device

title "usage"
try "$script" --minutes soon
try "$script" --device

title "commands"
NITRO=nitro try "$script" --dry-run --output OUT --build /nonexistent
NITRO=nitro "$script" --dry-run --output OUT --build /nonexistent | grep ': nitro ' |
    while IFS= read -r line; do
        # shellcheck disable=SC2086 # a command line, printed as bash reads it
        eval "${line#*: } --help" >help.txt 2>&1 || { echo "not understood: $line" && cat help.txt; }
    done
ls OUT 2>&1

title "failing steps are reported, the others are done"
cat >nitro-double <<'END'
#!/usr/bin/env bash
[[ $1 == version || $1 == store ]] || { echo "$1: not today" >&2 && exit 3; }
echo "{}"
END
chmod +x nitro-double
NITRO=$PWD/nitro-double "$script" --output OUT --build /nonexistent |
    sed -e 's/^ *[0-9]* s  //' | grep -v nvidia-smi
echo "status ${PIPESTATUS[0]}"
tar --zstd -tf OUT.tar.zst | grep -v nvidia-smi | sort
cat OUT/store-info.json
NITRO=$PWD/nitro-double try "$script" --output OUT

title "a step that hangs fails"
cat >nitro-double <<'END'
#!/usr/bin/env bash
[[ $1 != store ]] || exec sleep 100
echo "{}"
END
NITRO=$PWD/nitro-double "$script" --output HANGS --minutes 1 --build /nonexistent | sed -n 's/^ *[0-9]* s  store-info/store-info/p'
echo "status ${PIPESTATUS[0]}"
