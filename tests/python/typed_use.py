"""A typed program that uses the package: mypy --strict must accept it."""

from functools import partial
from typing import List

import nitro


def tuned(url: str, inputs: List[List[float]]) -> nitro.Model:
    total = nitro.Computation("total")
    total.add_variant("sum", sum)

    @total.variant("loop", version="2")
    def loop(values: List[float]) -> float:
        result = 0.0
        for value in values:
            result += value
        return result

    @total.feature("length", scale="log")
    def size(values: List[float]) -> float:
        return len(values)

    total.set_hooks(check=lambda expected, result: abs(expected - result) < 1e-9)
    with nitro.Store(url, write=True) as store:
        total.tune(store, {f"input-{i}": partial(list, each) for i, each in enumerate(inputs)})
        model = store.learn_own("total", store.devices("total")[0])
    length: float = total.evaluate(inputs[0])["length"]
    decision: nitro.Decision = total.run(inputs[0], uses=10)
    prediction: nitro.Prediction = model.predict({"length": length})
    print(loop(inputs[0]), size(inputs[0]), decision.variant, prediction.ranking[0])
    return model


def searched(count: int) -> nitro.Best:
    def run(values: List[float], chosen: nitro.Values) -> float:
        return sum(values) * float(chosen["unroll"])

    tunable = nitro.Tunable(
        "scaled", {"unroll": [1, 2, 4], "order": ["row", "column"]}, run, copy=list
    )
    tuner = nitro.Tuner(tunable, budget=str(count))
    while (values := tuner.ask()) is not None:
        tuner.tell(values, time_ms=1.0)
    total = nitro.Computation("total")
    total.add_tunable(tuner, share=0.05, data="background")
    best = tuner.best
    assert best is not None
    return best
