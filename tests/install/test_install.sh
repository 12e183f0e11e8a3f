#!/usr/bin/env bash
# Installs a build into a folder of its own and uses it from there as strangers would: headers alone,
# pkg-config, find_package, and the program.
# Usage: test_install.sh SOURCE_DIR BUILD_DIR VERSION   (CC, CXX and CMAKE name the tools)
set -euo pipefail

source_dir=$1 build_dir=$2 version=$3
: "${CC:=cc}" "${CXX:=c++}" "${CMAKE:=cmake}"
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
# Installed in one place, used from another: nothing may remember the prefix.
"$CMAKE" --install "$build_dir" --prefix "$work/staged tree" >"$work/install.log"
prefix="$work/moved tree"
mv "$work/staged tree" "$prefix"
cp -r "$source_dir/tests/install/consumer" "$work/consumer"
unset LD_LIBRARY_PATH

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

expect_version() {
    local printed
    printed=$("$@") || fail "$1 does not run"
    [[ $printed == "$version" ]] || fail "$1 printed '$printed', expected '$version'"
}

# The models that ship are found in the prefix, by everybody without models of his own.
if [[ -e $build_dir/models/shipped.csv ]]; then
    used=$(XDG_DATA_HOME=$work/none XDG_DATA_DIRS=$work/none "$prefix/bin/nitro" models spmv --json)
    [[ $used == *'"ships": true'*'the project'* ]] || fail "a shipped model is not used: $used"
fi

pc_file=$(find "$prefix" -name nitro.pc)
library_dir=$(dirname "$(dirname "$pc_file")")

# Every header stands alone, and may be included twice, in C11 and in C++17.
for header in $(cd "$prefix/include" && echo nitro/*.h nitro/backend/*.h); do
    printf '#include <%s>\n#include <%s>\n' "$header" "$header" >"$work/header.c"
    cp "$work/header.c" "$work/header.cpp"
    "$CC" -std=c11 -pedantic -Wall -Wextra -Wconversion -Werror -fsyntax-only \
        -I"$prefix/include" "$work/header.c" || fail "$header alone is not C11"
    "$CXX" -std=c++17 -pedantic -Wall -Wextra -Wconversion -Werror -fsyntax-only \
        -I"$prefix/include" "$work/header.cpp" || fail "$header alone is not C++17"
done

printf '#include <%s>\n#include <%s>\n' nitro/nitro.hpp nitro/nitro.hpp >"$work/header.cpp"
"$CXX" -std=c++17 -pedantic -Wall -Wextra -Wconversion -Werror -fsyntax-only \
    -I"$prefix/include" "$work/header.cpp" || fail "nitro.hpp alone is not C++17"

# The library's name carries its version, and it exports its interface and nothing else.
readelf -d "$library_dir/libnitro.so" | grep -q "SONAME.*\[libnitro\.so\.0\]" ||
    fail "libnitro.so has no versioned soname"
# exported LIBRARY: the names, each of which must be of the interface's version.
exported() {
    nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort >"$work/versioned"
    ! grep -v "@@NITRO_0$" "$work/versioned" >&2 || fail "$1: names without a version"
    sed 's/@.*//' "$work/versioned"
}
exported "$library_dir/libnitro.so" >"$work/exported"
strays=$(grep -v '^nitro_' "$work/exported" || true)
[[ -z $strays ]] || fail "libnitro.so exports names that are not its own: $strays"
# declared FILE [HEADER]: exported functions of a preprocessed header (NITRO_API has been expanded);
# with HEADER only its own, without those that it includes.
declared() {
    echo "#include <$1>" | "$CC" -E -I"$prefix/include" -x c - |
        awk -v own="${2:-}" '/^# [0-9]/ { inside = own == "" || index($0, own) } inside && !/^#/' |
        tr '\n' ' ' | sed 's/[;{}]/\n/g' | grep -F 'visibility("default")' |
        grep -oE 'nitro_[a-z0-9_]+\(' | tr -d '(' | sort -u
}
(cd "$prefix/include" && echo nitro/*.h nitro/backend/*.h) | tr ' ' '\n' | while read -r header; do
    declared "$header" || true # a header may have types only
done | sort -u >"$work/declared"
(($(wc -l <"$work/declared") > 50)) || fail "the headers' functions were not understood"
missing=$(comm -23 "$work/declared" "$work/exported")
[[ -z $missing ]] || fail "the headers declare functions that libnitro.so lacks: $missing"

# runtime.h declares what libnitro-runtime has, tune.h what it lacks.
exported "$library_dir/libnitro-runtime.so" >"$work/runtime_exported"
missing=$(declared nitro/runtime.h | comm -23 - "$work/runtime_exported")
[[ -z $missing ]] || fail "nitro/runtime.h declares functions that libnitro-runtime.so lacks: $missing"
misplaced=$(declared nitro/tune.h nitro/tune.h | comm -12 - "$work/runtime_exported")
[[ -z $misplaced ]] || fail "nitro/tune.h declares functions of libnitro-runtime.so: $misplaced"

# What programs were built against: users' functions and the sizes of users' structs. A change of
# what stands in the list breaks them; what is new goes in with it.
if [[ $(uname -m) == x86_64 ]]; then
    {
        declared nitro/nitro.h
        {
            printf '#include <nitro/nitro.h>\n#include <stdio.h>\nint main(void)\n{\n'
            sed -nE 's/^} (nitro_[a-z_]+);$/    printf("sizeof \1 %zu\\n", sizeof(\1));/p' \
                "$prefix/include/nitro/runtime.h" "$prefix/include/nitro/tune.h"
            printf '}\n'
        } >"$work/sizes.c"
        "$CC" -I"$prefix/include" "$work/sizes.c" -o "$work/sizes" && "$work/sizes"
    } >"$work/abi.txt"
    diff -u "$source_dir/tests/install/abi_x86_64.txt" "$work/abi.txt" ||
        fail "the interface is not that of tests/install/abi_x86_64.txt: programs built against" \
            "$version may break. Raise nitro_interface in CMakeLists.txt, or put back what changed; what is only" \
            "new is added there"
fi

# pkg-config and the compiler.
export PKG_CONFIG_PATH="$library_dir/pkgconfig"
[[ $(pkg-config --modversion nitro) == "$version" ]] || fail "nitro.pc is of another version"
flags=()
eval "flags=($(pkg-config --cflags --libs nitro))"
"$CC" -std=c11 "$work/consumer/consumer.c" "${flags[@]}" "-Wl,-rpath,$library_dir" \
    -o "$work/by_pkg_config"
expect_version "$work/by_pkg_config"

# find_package.
CC=$CC "$CMAKE" -S "$work/consumer" -B "$work/consumer build" -DCMAKE_PREFIX_PATH="$prefix" \
    >"$work/configure.log" || fail "find_package(nitro) does not work"
"$CMAKE" --build "$work/consumer build" >"$work/build.log" || fail "nitro::nitro does not link"
expect_version "$work/consumer build/consumer"

# The examples that are installed, in their own builds.
for example in tutorial kernels; do
    "$CMAKE" -S "$(find "$prefix/share" -path "*/examples/$example")" -B "$work/$example" \
        -DCMAKE_PREFIX_PATH="$prefix" >"$work/configure.log" ||
        fail "examples/$example does not find the installed Nitro"
    "$CMAKE" --build "$work/$example" >"$work/build.log" ||
        fail "examples/$example does not build: $(tail -5 "$work/build.log")"
done
NITRO_GENERATE_MB=1 "$prefix/bin/nitro" features "$work/kernels/libkernels.so:ktt_reduction" --generate 1 --quiet \
    >"$work/features" || fail "the module of examples/kernels cannot be loaded"

# The example with CUDA streams, where there is nvcc; without a GPU it says so and exits with 77.
if type nvcc >"$work/nvcc" 2>&1; then
    "$CMAKE" -S "$source_dir/examples/cuda_streams" -B "$work/streams" \
        -DCMAKE_PREFIX_PATH="$prefix" >"$work/configure.log" ||
        fail "examples/cuda_streams does not find the installed Nitro"
    "$CMAKE" --build "$work/streams" >"$work/build.log" ||
        fail "examples/cuda_streams does not build: $(tail -5 "$work/build.log")"
    code=0
    "$work/streams/cuda_streams" >"$work/streams.out" || code=$?
    ((code == 0 || code == 77)) || fail "examples/cuda_streams exits with $code"
else
    echo "SKIPPED: examples/cuda_streams: there is no nvcc"
fi

# libnitro-runtime: libc and libm alone, its own names alone; binary models, and an error that says
# so of others. Linked as shared and as static library.
readelf -d "$library_dir/libnitro-runtime.so" >"$work/dynamic"
grep -q "SONAME.*\[libnitro-runtime\.so\.0\]" "$work/dynamic" ||
    fail "libnitro-runtime.so has no versioned soname"
needed=$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$work/dynamic" | grep -vE '^lib(c|m)\.so|^ld-' || true)
[[ -z $needed ]] || fail "libnitro-runtime.so needs more than libc and libm: $needed"
strays=$(exported "$library_dir/libnitro-runtime.so" | grep -v '^nitro_' || true)
[[ -z $strays ]] || fail "libnitro-runtime.so exports names that are not its own: $strays"
model=$source_dir/tests/fuzz/seeds/model/few.json
"$prefix/bin/nitro" compile --model "$model" --output "$work/few.bin" >"$work/compiled" ||
    fail "nitro compile does not work where it is installed"
eval "flags=($(pkg-config --cflags --libs nitro-runtime))"
"$CC" -std=c11 "$work/consumer/runtime_user.c" "${flags[@]}" "-Wl,-rpath,$library_dir" -o "$work/shared"
"$CC" -std=c11 "$work/consumer/runtime_user.c" "-I$prefix/include" "$library_dir/libnitro-runtime.a" -lm \
    -o "$work/static"
for program in shared static "consumer build/runtime"; do
    chosen=$("$work/$program" "$work/few.bin") || fail "$program: libnitro-runtime does not decide"
    [[ -n $chosen ]] || fail "$program: libnitro-runtime chose nothing"
    ! "$work/$program" "$model" 2>"$work/error" || fail "$program read a JSON model"
    grep -qF "nitro compile --model" "$work/error" || fail "$program does not say how to compile"
done

# The program and its pages; plug-ins are found beside the library, wherever that is.
for url in redis://127.0.0.1:1/ http://127.0.0.1:1/; do
    ! "$prefix/bin/nitro" store list --store "$url" 2>"$work/error" || fail "$url can be read"
    grep -q "127.0.0.1.*[Cc]onnect" "$work/error" && ! grep -q plug-in "$work/error" ||
        fail "no plug-in for $url where Nitro is installed: $(<"$work/error")"
done
NITRO_GENERATE_MB=1 "$prefix/bin/nitro" features sort --generate 1 >"$work/features" 2>"$work/error" &&
    ! grep -F highway.so "$work/error" || fail "no plug-in for sort where Nitro is installed: $(<"$work/error")"
"$prefix/bin/nitro" --version >"$work/program" || fail "bin/nitro does not run where it is installed"
grep -qF "$version" "$work/program" || fail "nitro --version does not print $version"
[[ -s $prefix/share/nitro/computations/spmv-ginkgo.json ]] ||
    fail "no description spmv-ginkgo.json was installed"
for page in man1/nitro.1 man5/nitro.conf.5 man7/nitro-{spmv,histogram,sort,bfs,solver,transpose,transpose_inplace}.7; do
    [[ -s $prefix/share/man/$page ]] || fail "no man page $page was installed"
done
if type doxygen >"$work/doxygen" 2>&1; then
    while read -r name; do
        [[ -s $prefix/share/man/man3/$name.3 ]] || fail "no man page $name.3 was installed"
    done < <(grep -o '^nitro_[a-z0-9_]*$' "$source_dir/tests/install/abi_x86_64.txt")
else
    echo "SKIPPED: man pages of functions: there is no doxygen"
fi

# What was installed last can be removed, and nothing else is.
mkdir -p "$work/gone/bin" && touch "$work/gone/bin/other"
"$CMAKE" --install "$build_dir" --prefix "$work/gone" >"$work/install.log"
[[ -x $work/gone/bin/nitro ]] || fail "there is no bin/nitro to remove"
"$CMAKE" -DMANIFEST="$build_dir/install_manifest.txt" -P "$source_dir/cmake/Uninstall.cmake" >"$work/log" 2>&1 ||
    fail "uninstalling fails: $(<"$work/log")"
left=$(find "$work/gone" -type f -o -name '*nitro*')
[[ $left == "$work/gone/bin/other" ]] || fail "uninstalling leaves, or takes too much: $left"

echo "install: headers, pkg-config, find_package, runtime and program work"
