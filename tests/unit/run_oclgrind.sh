#!/usr/bin/env bash
# Runs a test on oclgrind's simulated OpenCL device; fails if the test does, or if a kernel races or reads
# or writes outside its arrays. Usage: run_oclgrind.sh TEST
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
if ! command -v oclgrind >/dev/null; then
    echo "SKIPPED: oclgrind is not installed (./bootstrap test does it)"
    exit 77
fi
mkdir "$work/vendors"
echo "$(dirname -- "$(command -v oclgrind)")/../lib/oclgrind/liboclgrind-rt-icd.so" >"$work/vendors/oclgrind.icd"
OCL_ICD_VENDORS=$work/vendors NITRO_KERNEL_CACHE=$work/kernels NITRO_TEST_SIMULATED=1 \
    oclgrind --data-races --log "$work/log" "$1"
if [[ -s $work/log ]]; then
    head -n 60 "$work/log"
    exit 1
fi
