# Where there is no NVIDIA driver: one sentence says so, whatever is asked.
if nitro devices cuda >/dev/null 2>err.txt; then
    echo "SKIP: an NVIDIA GPU is here"
    exit
fi
if ! grep -q 'no NVIDIA driver' err.txt; then
    echo "SKIP: $(cat err.txt)" # another reason than here: a build without CUDA, a driver without GPU
    exit
fi
title "no driver"
try nitro devices cuda
try nitro devices cuda --measure --json
try nitro devices cuda:1 --record gpu.json
try nitro devices cuda:nvidia-h200
ls gpu.json 2>&1

title "other devices are listed all the same"
nitro devices --json >d.json
try json_get '#' 0.kind 1.kind <d.json
