#!/usr/bin/env bash
# Keeps *.md and docs/*.md true: their C and CMake code is that of examples/, what they link to
# exists, their console commands work against an installed Nitro, and docs/cli-json.md names the keys
# that commands print.
# Usage: check_docs.sh SOURCE_DIR BUILD_DIR
set -euo pipefail

readonly source_dir=$1 build_dir=$2
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
shopt -s nullglob
pages=("$source_dir"/*.md "$source_dir"/docs/*.md)

# fail PAGE MESSAGE...
fail() {
    echo "${1#"$source_dir"/}: ${*:2}" >&2
    exit 1
}

# blocks PAGE LANGUAGE: the lines of all its blocks in one language.
blocks() {
    awk -v fence="\`\`\`$2" '$0 == "```" { inside = 0 } inside; $0 == fence { inside = 1 }' "$1"
}

# check_code PAGE: each block of C, C++ or CMake stands in one of the examples, character by character.
check_code() {
    local block example found
    awk -v prefix="$work/block" '$0 == "```" { file = "" } file { print >file }
        $0 == "```c" || $0 == "```cpp" || $0 == "```cmake" { file = prefix (++count) }' "$1"
    for block in "$work"/block*; do
        found=
        for example in "$source_dir"/examples/{,*/}*.{c,h,cpp,cu,txt}; do
            [[ $(<"$example") != *"$(<"$block")"* ]] || found=$example
        done
        [[ $found ]] || fail "$1" "this code is in no file of examples/: $(head -n 3 "$block")"
        rm -- "$block"
    done
}

# headings PAGE: the anchors that web hosts make of its headings.
headings() {
    sed -n 's/^##* //p' "$1" | tr '[:upper:] ' '[:lower:]-' | tr -cd 'a-z0-9\n_-'
}

check_links() {
    local link target
    while read -r link; do
        target=$(dirname "$1")/${link%%#*}
        [[ $link != \#* ]] || target=$1
        [[ -e $target ]] || fail "$1" "links to $link, which does not exist"
        [[ $link != *.md\#* && $link != \#* ]] || headings "$target" | grep -qxF -- "${link#*#}" ||
            fail "$1" "links to $link, but $target has no such heading"
    done < <(grep -oE '\]\([^) ]+\)' "$1" | sed 's/^](//; s/)$//' | grep -vE '^https?:')
}

# shellcheck disable=SC2016 # backquotes as such
# check_paths PAGE: files of the repository that it names in backquotes exist.
check_paths() {
    local path
    while read -r path; do
        [[ -e $source_dir/$path ]] || fail "$1" "names $path, which does not exist"
    done < <(grep -oE '`(apps|data|dfs|docs|examples|features|nitro|proxies|store|tests|variants)/[a-z0-9_./-]+`' \
        "$1" | tr -d '`')
}

# check_typing: the tutorial's first part is typed in 60 lines: its file and the commands up to the result.
check_typing() {
    local page=$source_dir/docs/tutorial.md lines
    lines=$(awk '/^## / { part++ } part == 1' "$page" | awk '$0 == "```" { inside = 0 }
        inside == 1 && NF { lines++ } inside == 2 && sessions == 1 && /^\$ / { lines++ }
        $0 == "```cpp" { inside = 1 } $0 == "```console" { inside = 2; sessions++ } END { print lines }')
    ((lines > 20 && lines <= 60)) || fail "$page" "its first part takes $lines typed lines, not 60"
}

# check_session PAGE: runs its commands, in the page's order, in a folder of their own. Lines that start
# with "$ " are commands; one that ends in a backslash continues.
check_session() {
    local name
    name=$(basename "$1" .md)
    blocks "$1" console | awk '/^\$ / { going = 1; sub(/^\$ /, "") } going; !/\\$/ { going = 0 }' \
        >"$work/$name.sh"
    [[ -s $work/$name.sh ]] || return 0
    mkdir "$work/$name"
    # A block after "Save this as `NAME`:" is a file.
    awk -v folder="$work/$name/" '$0 == "```" { file = "" } file { print >file }
        /^```/ { if (name != "") file = folder name; name = "" }
        /^Save this as `[a-z_.]+`:$/ { name = $4; gsub(/[`:]/, "", name) }' "$1"
    (cd -- "$work/$name" && bash -euxo pipefail "../$name.sh" >"../$name.out" 2>&1 </dev/null) || {
        tail -n 60 "$work/$name.out"
        fail "$1" "a command fails, see above"
    }
    echo "${1#"$source_dir"/}: $(grep -cE '^\+ [a-z./]' "$work/$name.out") commands work (${SECONDS} s)"
}

cmake --install "$build_dir" --prefix "$work/prefix" >"$work/install.log"
# As pages say, with another prefix.
for page in "$source_dir"/docs/{using,tutorial}.md; do
    exports=$(sed -n 's/^    export /export /p' "$page")
    eval "${exports//\/opt\/nitro/$work/prefix}"
    [[ $(type -P nitro) == "$work/prefix/bin/nitro" ]] && pkg-config --exists nitro ||
        fail "$page" "with its exports, an installed Nitro is not found"
done
export NITRO=$source_dir
export NITRO_GENERATE_MB=spmv=48,histogram=128
export XDG_DATA_HOME=$work/data XDG_CONFIG_HOME=$work/config XDG_CACHE_HOME=$work/cache

cmp -s <(blocks "$source_dir/README.md" c) "$source_dir/examples/sum.c" ||
    fail "$source_dir/README.md" "its example is not examples/sum.c"
(($(wc -l <"$source_dir/README.md") <= 120)) || fail "$source_dir/README.md" "has over 120 lines"
diff <(sed -nE "/^readonly rooms=/,/^'/s,^(nitro/[^ ]*) +(.*),| \`\1/\` | \2 |,p" \
    "$source_dir/tests/check_includes.sh") <(grep -E '^\| `nitro/[^|]*\|[^|]*\|$' \
    "$source_dir/CONTRIBUTING.md") ||
    fail "$source_dir/CONTRIBUTING.md" "its rooms are not those of tests/check_includes.sh"
for page in "${pages[@]}"; do
    check_code "$page"
    check_links "$page"
    check_paths "$page"
done
check_typing
for page in "${pages[@]}"; do
    [[ $page == */cli-json.md ]] || check_session "$page"
done
[[ ! -e $source_dir/docs/cli-json.md ]] ||
    (mkdir "$work/json" && cd "$work/json" &&
        python3 "$source_dir/tests/check_json_docs.py" "$source_dir/docs/cli-json.md")
echo "${#pages[@]} pages: code, links, commands and JSON keys hold"
