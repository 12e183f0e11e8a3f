nitro store keygen probe.key --name probe >/dev/null 2>probe.txt ||
    { grep -q "this build cannot" probe.txt && echo "SKIP: this build has no libsodium or zstd"; }

title "a key pair: the public key is printed, the secret one kept private"
nitro store keygen lab.key --name lab@example.org >line.txt 2>note.txt
cat note.txt
head -n 1 lab.key.pub
tail -n 1 lab.key.pub | cmp line.txt && stat -c %a lab.key
grep -c secret lab.key.pub

title "never overwritten; the name is checked"
try nitro store keygen lab.key --name lab@example.org
rm lab.key.pub
try nitro store keygen lab.key --name lab@example.org
try nitro store keygen other.key --name "two words"
try nitro store keygen no/such/folder/lab.key --name lab
try nitro store keygen other.key
