# man_pages.awk - cuts Doxygen's man page of a header into one page a function.
# Usage: awk -v header=nitro/runtime.h -v version=0.1.0 -v folder=OUT -f man_pages.awk HEADER.3

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
        brief = "a function of Nitro"
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
