# man_pages.awk - cuts Doxygen's man page of a header into one page a function.
# Usage: awk -v header=nitro/runtime.h -v version=0.1.0 -v folder=OUT -f man_pages.awk HEADER.3

# Describes nitro_OBJECT_free, _close, _num_THINGS and _PROPERTY, which need no comment in the header.
function describe(name,    object, rest) {
    rest = substr(name, 7)
    object = substr(rest, 1, index(rest, "_") - 1)
    rest = substr(rest, length(object) + 2)
    gsub(/_/, " ", rest)
    if (rest == "free" || rest == "close")
        return toupper(substr(rest, 1, 1)) substr(rest, 2) " a " object
    sub(/^num /, "number of ", rest)
    return "The " rest " of a " object
}

# Prints the page of the function collected so far.
function finish(    page, brief) {
    if (name == "")
        return
    page = folder "/" name ".3"
    brief = body
    gsub(/\n\.[A-Z][^\n]*|\n/, " ", brief)
    gsub(/\\f[A-Z]/, "", brief)
    sub(/^ +/, "", brief)
    if (match(brief, /\\&\. |\\&\.$/))
        brief = substr(brief, 1, RSTART - 1)
    if (brief == "" || brief ~ /^(Returns|Parameters)/)
        brief = describe(name)
    print ".TH \"" name "\" 3 \"\" \"Nitro " version "\" \"Nitro's functions\"" >page
    print ".SH NAME\n" name " \\- " brief >page
    print ".SH SYNOPSIS\n.nf\n#include <" header ">\n.fi\n.PP\n" signature >page
    print ".SH DESCRIPTION" body >page
    print ".SH SEE ALSO\n.BR nitro (1)" >page
    close(page)
    name = ""
}

/^\.SH / {
    finish()
    functions = /"Function Documentation"/
    next
}

functions && /^\.SS / {
    finish()
    signature = substr($0, 6, length($0) - 6)
    gsub(/\* /, "*", signature)
    body = ""
    if (match(signature, /nitro_[a-z0-9_]+ \(/)) {
        name = substr(signature, RSTART, RLENGTH - 2)
        sub(/ \(/, "(", signature)
    }
    next
}

functions && name != "" {
    body = body "\n" $0
}

END {
    finish()
}
