"""What a wheel alone can do: declare, tune, learn, run; its libraries are its own.

Usage: use_wheel.py FOLDER      (that the wheel is installed in)
"""

import sys
import tempfile
from pathlib import Path

import nitro


def main(folder: str) -> None:
    total = nitro.Computation("total")
    total.add_variant("sum", sum)
    total.add_variant("loop", lambda values: sum(value for value in values))
    total.add_feature("length", len, scale="log")
    total.set_hooks(check=lambda expected, result: result == expected)
    with tempfile.TemporaryDirectory() as work, nitro.Store(f"{work}/s.db", write=True) as store:
        inputs = {f"ones-{n}": (lambda n=n: [1] * n) for n in range(1, 9)}
        total.tune(store, inputs, min_repetitions=1, max_repetitions=1)
        total.attach_model(store.learn_own("total", store.devices()[0]))
    assert total.run([1, 2, 3]).result == 6
    maps = Path("/proc/self/maps").read_text("utf-8")
    loaded = {line.split()[-1] for line in maps.splitlines() if "libnitro" in line}
    assert loaded and all(path.startswith(folder) for path in loaded), loaded
    print(f"nitro {nitro.__version__} runs from its wheel")


if __name__ == "__main__":
    main(sys.argv[1])
