nitro store keygen probe.key --name probe >/dev/null 2>probe.txt ||
    { grep -q "this build cannot sign" probe.txt && echo "SKIP: this build has no libsodium"; }

title "a key pair: the public line is printed, the secret one kept"
nitro store keygen lab.key --name lab@example.org >line.txt 2>note.txt
cut -d ' ' -f 1,3 line.txt
cat note.txt
cmp line.txt lab.key.pub && stat -c %a lab.key
grep -c secret lab.key.pub

title "never overwritten; names are clean"
try nitro store keygen lab.key --name lab@example.org
rm lab.key.pub
try nitro store keygen lab.key --name lab@example.org
try nitro store keygen other.key --name "two words"
try nitro store keygen no/such/folder/lab.key --name lab
try nitro store keygen other.key
