# Devices whose best variant is known by construction: small below a limit of x, large from it on.
# A label that means something to a page, a script and a shell must not mean anything in a report.
cat >devices.csv <<'END'
device,peak_gbps,sm_count,generation,architecture
gpu1,100,10,1,"<b>""old"" & `touch hacked` \ 'x'"
gpu2,200,12,1,"<b>""old"" & `touch hacked` \ 'x'"
gpu3,300,14,2,new
END
for n in 1 2 3; do
    {
        echo "input,x,time_ms:small,time_ms:large"
        for i in $(seq 20); do
            if ((i <= 4 * n)); then echo "in$i,$i,1,4"
            elif ((i == 19 && n == 2)); then echo "in$i,$i,1,1.02"
            else echo "in$i,$i,4,1"; fi
        done
        ((n == 3)) || echo "in0,99,5,2"
    } >gpu$n.csv
    nitro store import --store s.db --computation calc --device gpu$n --samples gpu$n.csv --devices devices.csv
done

title "the known answers"
report() { # what selections of device features say is theirs to test
    try nitro report --store s.db --seeds 2 --methods random,fixed,forest --quiet "$@" |
        sed '/^! .*device features/d'
}
report --output r
cat r/calc-variants.csv r/calc-sensitivity.csv r/calc-sensitivity-generation.csv
cut -d , -f 1,2 r/calc-quality.csv
cut -d , -f 1-3 r/calc-source-less.csv
json_get finding <r/calc-source-less.json # of methods that choose
cut -d , -f 1 r/calc-measured.csv # of 20 or 21 inputs 30 % can be measured
json_get finding <r/calc-measured.json | grep -o 'with [1-9].*'
json_get computation part paper rows.# rows.0.device rows.2.large_percent <r/calc-variants.json
ls r | sed '/-features\./d; /-dfs-time\./d'

title "a roofline, where a description gives the variants' work"
cat >work.json <<'END'
{"format": "nitro-computation", "version": 1, "computation": "calc", "features": [],
 "work": [{"variants": ["small", "large"], "bytes": "1e6 * x"}]}
END
report --output roofs --quick --describe work.json
cut -d , -f 1-3,6-7 roofs/calc-roofline.csv
test -s roofs/calc-roofline.svg || echo "no picture"
sed 's/"small", //' work.json >large.json # what has no work is not in the legend
report --output roofs --quick --describe large.json
grep -c '>small<' roofs/calc-roofline.svg
echo '{' >bad.json
report --output roofs --quick --describe bad.json
sed 's/1e6 [*] x/1e6 * y/' work.json >other.json
report --output roofs --quick --describe other.json
report --output roofs --quick --describe work.json
report --output roofs --quick # without one, no picture of earlier measurements stays
ls roofs | grep -c roofline

title "every picture is well-formed, and its marks have titles with values"
python3 - r/*.svg <<'END' || echo 'a picture is not XML'
import sys, xml.dom.minidom
for name in sys.argv[1:]:
    xml.dom.minidom.parse(name)
END
grep -L 'not(\[fill=none\])' r/*.svg # on dark ground lines are not filled either
grep -ho '<title>gpu2, .*%</title>' r/calc-variants.svg | sed 's/<[^>]*>//g'
grep -o "<title>predicted = reached[^<]*" r/calc-predicted.svg | tail -1

title "the page needs nothing else, and every tag and id is in order"
page=r/index.html
(( $(grep '<svg' $page | grep -vc 'class="narrow"') == $(ls r/*.svg | wc -l) )) || echo 'not all pictures are in the page'
(( $(grep -c 'class="wide"' $page) == $(grep -c 'class="narrow" viewBox="-4 0 3[2-9].' $page) )) || echo 'not all have one for phones'
grep -oE '<(script|link|img|iframe)|src=|@import|url\(|https?://[^" ]*' $page | sort -u
for tag in section table figure svg details g text title ul p; do
    open=$(grep -o "<$tag[ >]" $page | wc -l)
    close=$(grep -o "</$tag>" $page | wc -l)
    ((open == close)) || echo "$tag: $open opened, $close closed"
done
grep -o ' id="[^"]*"' $page | sort | uniq -d
grep -o 'href="#[^"]*"' $page | sed 's/href="#//; s/"//' | while read -r id; do
    grep -q "id=\"$id\"" $page || echo "nothing has the id $id"
done
grep -o 'href="[^#"]*"' $page | sed 's/href="//; s/"//' | while read -r file; do
    test -s "r/$file" || echo "$file is linked, but not there"
done
grep -c '<b>' $page
grep -c '&lt;b&gt;&quot;old&quot; &amp; `touch hacked`' $page
test -e hacked -o -e r/hacked && echo "a label was run"
grep -o 'class="warn"' $page

title "the same samples, options and seed give the same bytes, whatever the threads"
nitro report --store s.db --output again --seeds 2 --methods random,fixed,forest --threads 1 calc 2>err.txt
tail -n 1 err.txt
without_times() { # FILE: a page less the part with the times
    sed '/<section id="calc-dfs-time">/,/<\/section>/d' "$1"
}
for file in r/*; do
    case $file in
    *-dfs-time.*) ;;
    *.html) cmp <(without_times "$file") <(without_times "again/${file#r/}") ;;
    *) cmp "$file" "again/${file#r/}" ;;
    esac
done

title "an interrupted report resumes"
mkdir -p late/index.html # all is done but the page
nitro report --store s.db --output late --seeds 2 --methods random,fixed,forest calc 2>&1 | tail -n 1
ls late | grep unfinished
rmdir late/index.html
sed -i '$ s/.$//' late/calc.unfinished # its last entry is damaged
nitro report --store s.db --output late --seeds 2 --methods random,fixed,forest calc 2>&1 | grep resuming
cmp <(without_times r/index.html) <(without_times late/index.html)
ls late | grep -c unfinished

title "a report of many sources resumes, too"
sources=$(printf 'gpu1,%.0s' {1..1000})gpu2
mkdir -p long/index.html
for run in first second; do
    nitro report --store s.db --output long --quick --methods fixed --sources "$sources" calc 2>&1 |
        grep -o 'resuming after [0-9]*'
done

title "sources: all but some, as nitro evaluate takes them; 'auto' is no device"
try nitro report --store s.db --output less --quick --method fixed --targets gpu3 --exclude gpu2 --quiet calc
try nitro report --store s.db --output two --quick --methods fixed --targets gpu3 --sources gpu1 --quiet calc
cmp less/calc-quality.csv two/calc-quality.csv
try nitro report --store s.db --output auto --quick --method fixed --sources auto --quiet calc
try nitro report --store s.db --output none --quick --exclude gpu9 --quiet calc
try nitro report --store s.db --output none --sources all

title "modelled devices are marked"
nitro tune spmv --generate 10 --device model:k20c,model:c2075,model:gtx-980 --store m.db --quiet --no-model >/dev/null
try nitro report --store m.db --output m --quick --quiet
grep -o 'class="warn"' m/index.html
head -n 4 m/spmv-variants.csv | cut -d , -f 1,2
cut -d , -f 1,2,11 m/spmv-quality.csv | head -n 3
ls m | grep -c -- '-source-less\.svg'
grep -c others m/spmv-variants.svg # two variants have no times here, and are no others

title "several computations in one page"
for n in 1 2; do
    nitro store import --store s.db --computation other --device gpu$n --samples gpu$n.csv --quiet 2>&1
done
try nitro report --store s.db --output both --quick --methods fixed --quiet
grep -o '<h2>[^<]*</h2>' both/index.html
# of two devices: no similarity, and no 'all 2 devices'
try json_get finding <both/other-similarity.json
try json_get finding <both/other-sensitivity.json
try json_get finding <both/other-variants.json

title "what is excluded is in every computation: said before the first is evaluated"
nitro store import --store two.db --computation calc --device gpu1 --samples gpu1.csv --quiet 2>&1
nitro store import --store two.db --computation calc --device gpu2 --samples gpu2.csv --quiet 2>&1
nitro store import --store two.db --computation other --device gpu1 --samples gpu1.csv --quiet 2>&1
try nitro report --store two.db --output early --quick --exclude gpu2 --quiet
ls early 2>&1

title "what cannot be reported"
try nitro report --store s.db
try nitro report --store missing.db --output r
try nitro report --store s.db --output r calk
try nitro report --store s.db --output r --methods oracle
try nitro report --store s.db --output r --skip quality
try nitro report --store s.db --output r --targets gpu9
try nitro report --store s.db --output r --seeds 0
try nitro report --store s.db --output s.db
try nitro report --store s.db --output no/such/folder

title "one device: what does not need another"
try nitro report --store s.db --output one --quiet --targets gpu1 --sources gpu1 calc --methods fixed
cat one/calc-variants.csv
test -e one/calc-quality.csv && echo 'a table of nothing'
cut -d , -f 1,7 one/calc-worst.csv # what loses nothing is none of the worst
json_get finding rows.# <one/calc-quality.json
for part in devices variants recommended; do json_get finding <one/calc-$part.json; done
page=one/index.html
grep -o '<h1>[^<]*\|<h3>[^<]*\|seed 0[^;]*;\|There is only one device: .* the rest' $page
grep -A 9 'Not in this report' $page | grep '<li>'

title "a device that measured one variant has nothing to recommend"
cp s.db single.db
sed 's/,[^,]*,\([^,]*\)$/,,\1/; 1s/.*/input,x,time_ms:small,time_ms:large/' gpu3.csv >gpu4.csv
nitro store import --store single.db --computation calc --device gpu4 --samples gpu4.csv >/dev/null 2>&1
nitro report --store single.db --output single --quick --methods fixed --quiet >/dev/null 2>&1
cut -d , -f 1-3,5 single/calc-recommended.csv
json_get finding <single/calc-recommended.json

title "a variant that a device never measured is not judged there"
for n in 1 3; do
    sed "s/$/,$([[ $n == 1 ]] || echo 2)/; 1s/,2*$/,time_ms:third/" gpu$n.csv >third.csv
    nitro store import --store third.db --computation calc --device gpu$n --samples third.csv --devices devices.csv >/dev/null 2>&1
done
nitro report --store third.db --output third --quick --methods fixed --quiet >/dev/null 2>&1
grep -o '<title>third, gpu[^<]*' third/calc-recommended.svg

title "recorded spaces: names that pages, files and links can have, and no two alike"
mkdir -p 'r&d <i>' times
for file in 'r&d <i>/calc.csv' times/calc.v1.csv times/calc.v2.csv; do
    { echo "x,time_ms" && for x in $(seq 20); do echo "$x,0.00$((x + 10))"; done; } >"$file"
done
spaces=('r&d <i>/calc.csv' times/calc.v1.csv times/calc.v2.csv ./times/calc.v2.csv)
searchers=$(for seed in $(seq 17); do echo -n "random,"; done)
try nitro report --recorded "${spaces[@]}" --searchers "${searchers%,}" --repeats 2 --output spaces --quiet
ls spaces | grep 'space.csv'
grep -c 'r&d' spaces/index.html
cut -d , -f 1 spaces/times-calc.v1-searches.csv | grep -c random
try nitro report --recorded times/calc.v1.csv --searchers random --repeats 2 --output spaces --quiet
json_get finding <spaces/times-calc.v1-searches.json
grep -o '<title>random at 1: [^<]*' spaces/times-calc.v1-searches.svg

title "turned names begin in the picture, letters of 8 pixels"
for n in 1 2 3; do
    nitro store import --store names.db --computation calc --device a-device-with-a-long-name-no-$n --samples gpu$n.csv --quiet 2>&1 | sed '/has no device features/d'
done
nitro report --store names.db --output names --quick --methods fixed --quiet
python3 - names/calc-recommended.svg <<'END'
import re, sys
for x, name in re.findall(r'translate\((\S+) \S+\) rotate\(-40\)"><text[^>]*>(?:<title>.*</title>)?([^<]*)', open(sys.argv[1]).read()):
    print(name, "begins outside" if float(x) - 8 * len(name) * .766 < -4 else "is inside")
END

title "labels of ticks, such as 500 ms, end in the picture"
printf 'device,peak_gbps,cuda_cores\ngpu1,1,3\ngpu2,2,5\ngpu3,3,1\ngpu4,4,9\n' >four.csv
for n in 1 2 3 4; do
    nitro store import --store time.db --computation calc --device gpu$n --samples gpu$((n % 3 + 1)).csv --devices four.csv >/dev/null
done
nitro report --store time.db --output time --seeds 1 --methods fixed --skip source-less,curves --quiet 2>/dev/null
ls time/calc-dfs-time.svg
python3 - r/*.svg time/*.svg <<'END'
import re, sys
for path in sys.argv[1:]:
    picture = open(path).read()
    width = float(re.search(r'viewBox="-4 0 (\S+) ', picture)[1]) - 4
    for x, label in re.findall(r'<text x="([^"]*)" y="[^"]*" text-anchor="middle">([^<]*)', picture):
        if float(x) + 4 * len(label) > width:
            print(path, label, "ends outside")
END

title "no -0.00"
printf 'device,peak_gbps,cuda_cores\ngpu1,200,0\ngpu2,199.5,200\ngpu3,0,100\n' >right.csv
for n in 1 2 3; do
    nitro store import --store right.db --computation calc --device gpu$n --samples gpu$n.csv --devices right.csv >/dev/null
done
nitro report --store right.db --output right --quick --methods fixed --quiet
grep -o '>-*0\.00<' right/calc-similarity.svg

title "devices that are alike; one input of one variant on devices with one feature"
printf 'device,peak_gbps,cuda_cores\ngpu1,1,3\ngpu2,1,3\ngpu3,3,1\n' >alike.csv
printf 'input,x,time_ms:only\nin1,1,1\n' >few.csv
for n in 1 2 3; do
    nitro store import --store alike.db --computation calc --device gpu$n --samples gpu$((n / 3 + 1)).csv --devices alike.csv >/dev/null
    nitro store import --store few.db --computation few --device gpu$n --samples few.csv --devices <(cut -d, -f1,2 alike.csv) >/dev/null
done
nitro report --store alike.db --output alike --quick --methods fixed --quiet
nitro report --store few.db --output few --quick --methods fixed --quiet
json_get finding <alike/calc-twins.json
json_get finding <alike/calc-similarity.json
json_get finding <few/few-devices.json
json_get finding <few/few-twins.json

title "twenty devices, all times equal: numbers of a matrix have room, a variant that always wins has a name"
{
    echo "device,peak_gbps,cuda_cores"
    for n in $(seq 20); do echo "gpu$n,$n,$((n * 7 % 20))"; done
} >many.csv
{
    echo "input,x,time_ms:small,time_ms:large"
    for i in $(seq 8); do echo "in$i,$i,1,1"; done
} >equal.csv
for n in $(seq 20); do
    nitro store import --store many.db --computation calc --device gpu$n --samples equal.csv --devices many.csv >/dev/null
done
nitro report --store many.db --output many --quick --methods fixed --quiet 2>/dev/null
python3 - many/calc-similarity.svg many/calc-recommended.svg <<'END'
import re, sys
for path in sys.argv[1:]:
    picture = open(path).read()
    width = float(re.search(r'viewBox="-4 0 (\S+) ', picture)[1])
    fields = re.findall(r'<rect x="([^"]*)" y="[^"]*" width="([^"]*)"', picture)
    print(path, len(fields), "fields", "too narrow" if min(float(w) for x, w in fields) < 36 else "wide enough",
          "beyond the picture" if any(float(x) + float(w) > width for x, w in fields) else "within the picture")
END
grep -o '<text [^>]*>small<' many/calc-variants.svg | wc -l
grep -c '>-0\.5<' many/calc-slowdowns.svg
