"""What a decision costs from Python, beside a plain call of the chosen function.

Usage: PYTHONPATH=build/python bench_python.py     (alone on the machine)
"""

import statistics
import tempfile
import time
import warnings

import nitro

CALLS, ROUNDS = 20000, 15


def declare() -> nitro.Computation:
    total = nitro.Computation("total")
    total.add_variant("first", len)
    total.add_variant("second", len)
    total.add_features(["length", "half"], lambda values: (len(values), len(values) / 2))
    return total


def with_model(folder: str) -> nitro.Computation:
    total = declare()
    with nitro.Store(f"{folder}/samples.db", write=True) as store, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inputs = {f"ones-{n}": (lambda n=n: [1] * n) for n in range(1, 41)}
        total.tune(store, inputs, max_repetitions=2, min_repetitions=1)
        total.attach_model(store.learn_own("total", store.devices("total")[0]))
    return total


def microseconds(call) -> float:
    begin = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - begin) / CALLS * 1e6


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        total = with_model(folder)
    values = [1] * 17
    bound = total.bind(values)
    calls = {
        "the variant alone": lambda: len(values),
        "run, features cached (bind)": bound.run,
        "run, features evaluated": lambda: total.run(values),
        "select, features cached": bound.select,
    }
    times = {name: [] for name in calls}
    for _ in range(ROUNDS):  # in turns
        for name, call in calls.items():
            times[name].append(microseconds(call))
    alone = statistics.median(times["the variant alone"])
    for name, each in times.items():
        middle = statistics.median(each)
        print(f"{name:<30}{middle:8.2f} us  (+{middle - alone:.2f} us, least {min(each):.2f})")


if __name__ == "__main__":
    main()
