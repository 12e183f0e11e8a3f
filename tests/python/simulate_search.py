"""Kernel Tuner's simulation mode accepts a cache that nitro search wrote, and finds the same optimum.

Usage: simulate_search.py NITRO. Exit code 77: Kernel Tuner is not installed (pip install kernel_tuner).
"""

import json
import math
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import kernel_tuner
    from kernel_tuner.file_utils import output_file_schema
except ImportError as error:
    print(f"SKIPPED: {error}: pip install kernel_tuner, to test what its simulation mode accepts")
    sys.exit(77)

SPACE = {"ConfigurationSpace": {"TuningParameters": [
    {"Name": "block", "Type": "int", "Values": "[2**i for i in range(4, 11)]"},
    {"Name": "scale", "Type": "float", "Values": "[0.5, 1.0, 2.0]"},
    {"Name": "padded", "Type": "bool", "Values": "[False, True]"},
    {"Name": "layout", "Type": "string", "Values": "['rows', 'columns']"}],
    "Conditions": ["block * scale <= 1024"]}}


def time_of(block, scale, padded, layout):
    return 1 + abs(math.log2(block) - 7) + abs(scale - 1) + 0.25 * padded + 0.5 * (layout == "rows")


def main():
    nitro = os.path.abspath(sys.argv[1])
    os.chdir(tempfile.mkdtemp())
    with open("space.json", "w", encoding="utf-8") as file:
        json.dump(SPACE, file)
    with open("times.csv", "w", encoding="utf-8") as file:
        print("block,scale,padded,layout,time_ms,status,total_ms", file=file)
        for block in [2 ** i for i in range(4, 11)]:
            for scale in [0.5, 1.0, 2.0]:
                for padded in [0, 1]:
                    for layout in ["rows", "columns"]:
                        if block * scale <= 1024:
                            wrong = block == 64 and scale == 2
                            print(block, scale, padded, layout,
                                  "" if wrong else time_of(block, scale, padded, layout),
                                  "compile_error" if wrong else "ok", 100, sep=",", file=file)
    subprocess.run([nitro, "search", "space.json", "--recorded", "times.csv", "--budget", "1000", "--quiet",
                    "--searcher", "random", "--output", "t4.json", "--output-cache", "cache.json"], check=True,
                   stdout=subprocess.DEVNULL)
    with open("t4.json", encoding="utf-8") as file:
        jsonschema.validate(json.load(file), output_file_schema("results")[1])
    with open("cache.json", encoding="utf-8") as file:
        cache = json.load(file)
    results, environment = kernel_tuner.tune_kernel(
        cache["kernel_name"], "", cache["problem_size"], [], cache["tune_params"],
        restrictions=["block * scale <= 1024"], cache="cache.json", simulation_mode=True, quiet=True)
    best = environment["best_config"]
    expected = time_of(128, 1.0, 0, "columns")
    assert len(results) == len(cache["cache"]), (len(results), len(cache["cache"]))
    assert abs(best["time"] - expected) < 1e-9 and best["block"] == 128, best
    print(f"Kernel Tuner simulates "
          f"{len(results)} evaluations")


if __name__ == "__main__":
    main()
