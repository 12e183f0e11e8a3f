"""The repository of samples: learning from it and evaluating the models."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any, Iterable, List, Optional, Union

from ._library import Context, StringList, bytes_of, default_context, ffi, lib, text_of
from ._model import Model


@dataclass(frozen=True)
class Evaluation:
    """A method on a target. Qualities are percent: 100 x best time / chosen variant's time."""

    target: str
    method: str
    modelled: bool  #: times come from a cost model: never a result
    inputs: int
    mean: float
    geomean: float
    p5: float
    min: float
    accuracy: float


def methods() -> List[str]:
    """The methods that evaluate() compares."""
    table = lib.nitro_method_table()
    names = []
    while table.name != ffi.NULL:
        names.append(text_of(table.name))
        table += 1
    return names


class Store:
    """Samples, devices and schemas. Close it, or use it in a with statement."""

    def __init__(
        self,
        url: Union[str, "PathLike[str]", None] = None,
        write: bool = False,
        context: Optional[Context] = None,
    ) -> None:
        """`url` None: the user's own store. With `write` it is created if necessary."""
        self._context = context or default_context()
        handle = ffi.new("nitro_store **")
        mode = lib.NITRO_STORE_WRITE if write else lib.NITRO_STORE_READ
        where = ffi.NULL if url is None else bytes_of(url)
        self._context.check(lib.nitro_store_open(self._context.handle, where, mode, handle))
        self._handle = ffi.gc(handle[0], lib.nitro_store_close)

    def close(self) -> None:
        if self._handle is not None:
            ffi.release(self._handle)
            self._handle = None

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def handle(self) -> Any:
        if self._handle is None:
            raise ValueError("the store is closed")
        return self._handle

    def computations(self) -> List[str]:
        names = StringList(self._context)
        self._context.check(lib.nitro_store_list_computations(self.handle, names.handle))
        return list(names)

    def devices(self, computation: Optional[str] = None) -> List[str]:
        """List all devices, or those with samples of a computation."""
        ids = StringList(self._context)
        name = ffi.NULL if computation is None else bytes_of(computation)
        self._context.check(lib.nitro_store_list_devices(self.handle, name, ids.handle))
        return list(ids)

    def num_samples(self, computation: str, device: str) -> int:
        count = ffi.new("size_t *")
        self._context.check(
            lib.nitro_store_count_samples(
                self.handle, bytes_of(computation), bytes_of(device), count
            )
        )
        return count[0]

    def tune_from_source(
        self,
        computation: str,
        target: str,
        sources: Optional[Iterable[str]] = None,
        strategy: Optional[str] = None,
        dfs: Optional[str] = None,
        seed: int = 0,
        threads: int = 0,
    ) -> Model:
        """Learn a model for an unmeasured device from samples of others."""
        return self._learn(
            lib.nitro_tune_from_source, computation, target, sources, strategy, dfs, seed, threads
        )

    def learn_own(
        self,
        computation: str,
        device: str,
        strategy: Optional[str] = None,
        seed: int = 0,
        threads: int = 0,
    ) -> Model:
        """Learn a model for a device from its own samples (target-trained)."""
        return self._learn(
            lib.nitro_learn_own, computation, device, None, strategy, None, seed, threads
        )

    def _learn(
        self,
        learn: Any,
        computation: str,
        device: str,
        sources: Optional[Iterable[str]],
        strategy: Optional[str],
        dfs: Optional[str],
        seed: int,
        threads: int,
    ) -> Model:
        options = ffi.new("nitro_learn_options *")
        lib.nitro_learn_options_init(options)
        options.seed = seed
        options.num_threads = threads
        kept = []  # what the options borrow
        if sources is not None:
            texts = [ffi.new("char[]", bytes_of(source)) for source in sources]
            options.sources = array = ffi.new("const char *[]", texts)
            options.num_sources = len(texts)
            kept += [texts, array]
        if strategy is not None:
            options.strategy = text = ffi.new("char[]", bytes_of(strategy))
            kept.append(text)
        if dfs is not None:
            options.dfs = text = ffi.new("char[]", bytes_of(dfs))
            kept.append(text)
        made = ffi.new("nitro_model **")
        self._context.check(
            learn(
                self._context.handle,
                self.handle,
                bytes_of(computation),
                bytes_of(device),
                options,
                made,
            )
        )
        return Model(self._context, made[0])

    def evaluate(
        self,
        computation: str,
        methods: Optional[Iterable[str]] = None,
        targets: Optional[Iterable[str]] = None,
        sources: Optional[Iterable[str]] = None,
        train_fraction: Optional[float] = None,
        seed: int = 0,
        threads: int = 0,
    ) -> List[Evaluation]:
        """Evaluate with each device in turn as the target and the others as its sources."""
        options = ffi.new("nitro_evaluate_options *")
        lib.nitro_evaluate_options_init(options)
        options.seed = seed
        options.num_threads = threads
        if train_fraction is not None:
            options.train_fraction = train_fraction
        lists = {"methods": methods, "targets": targets, "sources": sources}
        kept = []  # what the options borrow
        for name, items in lists.items():
            if items is not None:
                kept.append(StringList(self._context, items))
                setattr(options, name, kept[-1].handle)
        results = ffi.new("nitro_evaluate_result **")
        count = ffi.new("size_t *")
        self._context.check(
            lib.nitro_evaluate(self.handle, bytes_of(computation), options, results, count)
        )
        try:
            return [_evaluation(results[0][i]) for i in range(count[0])]
        finally:
            lib.nitro_evaluate_results_free(results[0], count[0])


def _evaluation(result: Any) -> Evaluation:
    return Evaluation(
        target=text_of(result.target),
        method=text_of(result.method),
        modelled=bool(result.modelled),
        inputs=result.inputs,
        mean=result.mean,
        geomean=result.geomean,
        p5=result.p5,
        min=result.min,
        accuracy=result.accuracy,
    )
