# What every command line test has: try COMMAND... prints the command, its results, its messages
# (each line after "! ") and an exit code that is not 0.

try() {
    printf '$'
    printf ' %s' "$@"
    printf '\n'
    "$@" >out.txt 2>err.txt
    local code=$?
    cat out.txt
    sed -e '/^learn: [0-9]* of [0-9]* models/d' -e 's/^/! /' err.txt # a slow machine shows progress
    ((code == 0)) || echo "exit $code"
}

title() {
    printf '\n## %s\n' "$*"
}
