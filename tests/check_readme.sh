#!/usr/bin/env bash
# Keeps the README true: its C example is the compiled file, every file that it names is there, and
# the commands of its first session work, in the order in which it shows them.
# Usage: check_readme.sh SOURCE_DIR BIN_DIR
set -euo pipefail

readonly source_dir=$1 bin_dir=$2 readme=$1/README.md
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

fail() {
    echo "README.md: $*" >&2
    exit 1
}

# Prints the blocks of one language.
blocks() {
    awk -v fence="\`\`\`$1" '$0 == "```" { inside = 0 } inside; $0 == fence { inside = 1 }' "$readme"
}

blocks c >"$work/sum.c"
diff "$work/sum.c" "$source_dir/examples/sum.c" || fail "its example is not examples/sum.c"

grep -oE '\]\([^)#]+\)' "$readme" | sed 's/^](//; s/)$//' | grep -vE '^https?:' >"$work/links"
while read -r link; do
    [[ -e $source_dir/$link ]] || fail "it links to $link, which does not exist"
done <"$work/links"

# Lines that start with "$ " are commands; a line that ends in a backslash goes on.
blocks console | awk '/^\$ / { going = 1; sub(/^\$ /, "") } going; !/\\$/ { going = 0 }' \
    >"$work/session.sh"
[[ -s $work/session.sh ]] || fail "it shows no session"
mkdir "$work/session"
cd -- "$work/session"
export PATH="$bin_dir:$PATH" XDG_DATA_HOME="$work/data"
bash -euxo pipefail "$work/session.sh" >"$work/output" 2>&1 </dev/null || {
    cat "$work/output"
    fail "its session fails, see above"
}
echo "README.md: example, links and $(grep -c '^+ nitro' "$work/output") commands hold"
