# Completion scripts, made from the tables of options: bash's is used, the others are parsed where
# their shells are installed.
nitro help --completion bash >nitro.bash
source ./nitro.bash
complete_words() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _nitro
    echo "$*: ${COMPREPLY[*]}"
}
complete_words nitro tu
complete_words nitro store im
complete_words nitro devices s
complete_words nitro tune spmv --gen
complete_words nitro store import --format ""
complete_words nitro store --
for shell in zsh fish; do
    nitro help --completion $shell >script
    if type $shell >/dev/null 2>&1; then
        $shell -n script || echo "$shell cannot read its script"
    else
        echo "SKIPPED: $shell is not installed: its script is not parsed" >&3
    fi
    grep -q -- generate script && echo "$shell completes tune --generate"
done
try nitro help --completion csh
