title "what there is"
nitro proxies | sed -n 1,4p
nitro proxies | grep -c 'kernel on'
nitro proxies --json >p.json
try json_get '#' 2.proxy 2.metrics.# 2.device_features.0 2.kernels.host <p.json
try nitro proxies --code x
try nitro proxies --proxies missing.json

title "shares, as a disassembler says: it is found on PATH, and this one is made up"
mkdir bin
cat >bin/cuobjdump <<'END'
#!/bin/sh
case $2 in
*empty*) echo "cuobjdump info    : File '$2' does not contain device code"; exit 255 ;;
*other*) echo "	code for sm_90"; echo "		Function : _Z5otherv"; exit ;;
esac
# loop INTENSITY ATOMICS: ten instructions and the jump back
loop() {
    echo "		Function : _Z18nitro_proxy_atomicILj$1EEv26nitro_proxy_cuda_arguments"
    for i in 0 1 2 3 4 5 6 7 8 9; do
        if [ $i -lt $2 ]; then word='RED.E.ADD [R2.64], R3'; else word='IADD3 R1, R1, R3, RZ'; fi
        echo "        /*00${i}0*/    $word ;    /* 0x0000000000000000 */"
    done
    echo "        /*00a0*/    @P0 BRA 0x0 ;    /* 0x0000000000000000 */"
}
echo "	code for sm_100"
loop 0 0
echo "	code for sm_90"
loop 1 2
loop 2 4
END
chmod +x bin/cuobjdump
PATH=$PWD/bin:$PATH
try nitro proxies --check --code x.so
nitro proxies --check --code x.so --json >c.json 2>json-messages.txt
try json_get '#' 0.code 1.wanted_percent 1.instructions 1.within_tolerance 2.code <c.json
sed -i 's/^loop 2 4/loop 2 6/' bin/cuobjdump
try nitro proxies --check --code x.so
try nitro proxies --check --code empty.so
try nitro proxies --check --code other.so
