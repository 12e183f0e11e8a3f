"""The repository of samples: learning from it and evaluating the models."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence

from ._library import (
    Context,
    StringList,
    TextOrPath,
    bytes_of,
    callback,
    check_callables,
    default_context,
    ffi,
    goes_on,
    instance,
    lib,
    list_of,
    members_of,
    owned,
    set_members,
    text_of,
)
from ._model import Model
from ._tables import Table, html_table


class Evaluation(NamedTuple):
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
    total: float  #: time of the chosen variants over that of the best ones


class Sample(NamedTuple):
    """One input measured on one device."""

    input: str
    features: Dict[str, float]
    times_ms: Dict[str, float]  #: nan: no time
    best: Optional[str]
    problems: Dict[str, str]  #: why a variant has no time


class Samples(List[Sample]):
    """Samples in the order of the store; a notebook shows the times as a table."""

    def _repr_html_(self) -> str:
        if not self:
            return html_table(("input",), [])
        variants = list(self[0].times_ms)
        rows = [(each.input, each.best, *each.times_ms.values()) for each in self]
        return html_table(("input", "best", *(f"{name} (ms)" for name in variants)), rows)


class Device(NamedTuple):
    """A device as a store describes it."""

    id: str
    kind: str
    features: Dict[str, float]
    labels: Dict[str, str]

    def _repr_html_(self) -> str:
        return html_table(("feature", self.id), [*self.features.items(), *self.labels.items()])


class Copied(NamedTuple):
    """What copy_to did."""

    samples: int
    skipped: int


def methods() -> List[str]:
    """The methods that evaluate() compares."""
    table = lib.nitro_method_table()
    names = []
    while table.name != ffi.NULL:
        names.append(text_of(table.name))
        table += 1
    return names


@callback("nitro_python_measure", error=lib.NITRO_ERR_IO)
def _measure(user: Any, inputs: Any, count: int) -> int:
    ffi.from_handle(user)([text_of(inputs[i]) for i in range(count)])
    return int(lib.NITRO_OK)


def _time_ms(entry: Any) -> float:
    is_measured = entry.outcome == lib.NITRO_OUTCOME_MEASURED
    return float(entry.median_ms) if is_measured else math.nan


@callback("nitro_python_sample", error=lib.NITRO_ERR_NO_MEMORY)
def _sample(user: Any, sample: Any) -> int:
    features, variants, found = ffi.from_handle(user)
    entries = sample.entries[0 : len(variants)]
    best = lib.nitro_sample_best(sample)
    found.append(
        Sample(
            text_of(sample.input),
            dict(zip(features, sample.features[0 : len(features)])),
            dict(zip(variants, map(_time_ms, entries))),
            variants[best] if best < len(variants) else None,
            {
                name: text_of(
                    each.detail if each.detail != ffi.NULL else lib.nitro_outcome_name(each.outcome)
                )
                for name, each in zip(variants, entries)
                if math.isnan(_time_ms(each))
            },
        )
    )
    return int(lib.NITRO_OK)


@callback("nitro_python_evaluated", error=False)
def _evaluated(user: Any, done: int, total: int, target: Any, method: Any) -> bool:
    progress = ffi.from_handle(user)
    return goes_on(progress and progress(done, total, text_of(target), text_of(method)))


@callback("nitro_python_learnt", error=False)
def _learnt(user: Any, told: Any) -> bool:
    progress = ffi.from_handle(user)
    return goes_on(progress and progress(text_of(told.step), told.done, told.total))


class Store:
    """Samples, devices and schemas. Close it, or use it in a with statement."""

    def __init__(
        self,
        url: Optional[TextOrPath] = None,
        write: bool = False,
        context: Optional[Context] = None,
    ) -> None:
        """`url` None: the user's own store. With `write` it is created if necessary, and samples for
        a remote store go to a local journal first, so that none is lost with the connection."""
        self._context = context or default_context()
        handle = ffi.new("nitro_store **")
        where = ffi.NULL if url is None else bytes_of(url)
        self._context.check(
            lib.nitro_store_open_journaled(self._context.handle, where, handle)
            if write
            else lib.nitro_store_open(self._context.handle, where, lib.NITRO_STORE_READ, handle)
        )
        self._handle = owned(handle[0], lib.nitro_store_close, self._context)

    def close(self) -> None:
        """Close the store, at once or at the end of a tuner or another thread's call that uses it."""
        self._handle = None

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def handle(self) -> Any:
        if self._handle is None:
            raise ValueError("the store is closed")
        return self._handle

    @property
    def url(self) -> str:
        """Without a password."""
        return text_of(lib.nitro_store_url(self.handle))

    def flush(self, patience_ms: float = 0) -> int:
        """Send the journal's unsent samples; gives how many are still unsent."""
        waiting = ffi.new("size_t *")
        self._context.check(lib.nitro_store_flush(self.handle, patience_ms, waiting))
        return int(waiting[0])

    def num_unsent(self) -> int:
        waiting = ffi.new("size_t *")
        self._context.check(lib.nitro_store_count_unsent(self.handle, waiting))
        return int(waiting[0])

    def copy_to(self, other: "Store") -> Copied:
        """Copy everything into another store; samples that it has are skipped."""
        report = ffi.new("nitro_copy_report *")
        to = instance("copy_to", other, Store).handle
        self._context.check(lib.nitro_store_copy(self.handle, to, report))
        return Copied(report.samples, report.samples_skipped)

    def _names(self, fill: Callable[[Any], Any]) -> List[str]:
        names = StringList(self._context)
        self._context.check(fill(names.handle))
        return list(names)

    def computations(self) -> List[str]:
        return self._names(lambda names: lib.nitro_store_list_computations(self.handle, names))

    def devices(self, computation: Optional[str] = None) -> List[str]:
        """List all devices, or those with samples of a computation."""
        name = ffi.NULL if computation is None else bytes_of(computation)
        return self._names(lambda names: lib.nitro_store_list_devices(self.handle, name, names))

    def device(self, name: str) -> Device:
        """A device's features and labels."""
        made = ffi.new("nitro_device **")
        self._context.check(lib.nitro_store_get_device(self.handle, bytes_of(name), made))
        device = ffi.gc(made[0], lib.nitro_device_free)
        return Device(
            text_of(device.id),
            text_of(device.kind),
            {text_of(each.name): each.value for each in device.features[0 : device.num_features]},
            {text_of(each.name): text_of(each.text) for each in device.labels[0 : device.num_labels]},
        )

    def num_samples(self, computation: str, device: str) -> int:
        count = ffi.new("size_t *")
        self._context.check(
            lib.nitro_store_count_samples(
                self.handle, bytes_of(computation), bytes_of(device), count
            )
        )
        return int(count[0])

    def samples(self, computation: str, device: str) -> Samples:
        """All samples of a computation on a device."""
        made = ffi.new("nitro_schema **")
        self._context.check(lib.nitro_store_get_schema(self.handle, bytes_of(computation), made))
        schema = ffi.gc(made[0], lib.nitro_schema_free)
        features = [text_of(each.name) for each in schema.features[0 : schema.num_features]]
        variants = [text_of(each) for each in schema.variants[0 : schema.num_variants]]
        user = (features, variants, Samples())
        handle = ffi.new_handle(user)
        self._context.check(
            lib.nitro_store_each_sample(
                self.handle,
                bytes_of(computation),
                bytes_of(device),
                lib.nitro_python_sample,
                handle,
            )
        )
        return user[2]

    def _repr_html_(self) -> str:
        rows = [
            (computation, device, self.num_samples(computation, device))
            for computation in self.computations()
            for device in self.devices(computation)
        ]
        return html_table(("computation", "device", "samples"), rows, caption=self.url)

    def tune_from_source(
        self,
        computation: str,
        target: str,
        *,
        sources: Optional[Iterable[str]] = None,
        strategy: Optional[str] = None,
        dfs: Optional[str] = None,
        seed: int = 0,
        threads: int = 0,
        measurable: Optional[Sequence[str]] = None,
        measure: Optional[Callable[[List[str]], Any]] = None,
        progress: Optional[Callable[[str, int, int], Any]] = None,
        **options: Any,
    ) -> Model:
        """Learn a model for an unmeasured device from samples of others.

        progress: called with (step, done, total); False stops. measure: called with names of `measurable` inputs; measures them on the target, as by tune
        (with num_measured=N). options: further members of nitro_learn_options, such as
        equal_sources=True, dfs_k=2, num_measured=10."""
        return self._learn(
            lib.nitro_tune_from_source,
            computation,
            target,
            {"sources": sources, "measurable": measurable},
            {"strategy": strategy, "dfs": dfs},
            {"seed": seed, "num_threads": threads, **options},
            measure,
            progress,
        )

    def learn_own(
        self,
        computation: str,
        device: str,
        *,
        strategy: Optional[str] = None,
        seed: int = 0,
        threads: int = 0,
    ) -> Model:
        """Learn a model for a device from its own samples (target-trained)."""
        return self._learn(
            lib.nitro_learn_own,
            computation,
            device,
            {},
            {"strategy": strategy},
            {"seed": seed, "num_threads": threads},
        )

    def _learn(
        self,
        learn: Callable[..., int],
        computation: str,
        device: str,
        lists: Dict[str, Optional[Iterable[str]]],
        texts: Dict[str, Optional[str]],
        members: Dict[str, Any],
        measure: Optional[Callable[[List[str]], Any]] = None,
        progress: Optional[Callable[[str, int, int], Any]] = None,
    ) -> Model:
        check_callables("tune_from_source", {"progress": progress})
        options = ffi.new("nitro_learn_options *")
        lib.nitro_learn_options_init(options)
        kept: List[Any] = []  # what the options borrow
        if members.get("proxies") is not None:
            texts = {**texts, "proxies": members.pop("proxies")}
        set_members(options, "learn", members)
        for name, text in texts.items():
            if text is not None:
                kept.append(ffi.new("char[]", bytes_of(text)))
                setattr(options, name, kept[-1])
        for name, items in lists.items():
            if items is not None:
                strings = [ffi.new("char[]", bytes_of(item)) for item in list_of(name, items)]
                kept += [strings, ffi.new("const char *[]", strings)]
                setattr(options, name, kept[-1])
                setattr(options, f"num_{name}", len(strings))
        if measure is not None:
            kept.append(ffi.new_handle(measure))
            options.measure, options.measure_user = lib.nitro_python_measure, kept[-1]
        kept.append(ffi.new_handle(progress))  # also None: Python raises an interrupt there
        options.progress, options.progress_user = lib.nitro_python_learnt, kept[-1]
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
        *,
        methods: Optional[Iterable[str]] = None,
        targets: Optional[Iterable[str]] = None,
        sources: Optional[Iterable[str]] = None,
        progress: Optional[Callable[[int, int, str, str], Any]] = None,
        seed: int = 0,
        threads: int = 0,
        **options: Any,
    ) -> Table[Evaluation]:
        """Evaluate with each device in turn as the target and the others as its sources; a single
        device by cross-validation over its inputs.

        progress: called with (done, total, target, method); False stops. options: further members of
        nitro_evaluate_options, such as train_fraction=0.5, uses=10, extrapolate=True."""
        given = ffi.new("nitro_evaluate_options *")
        lib.nitro_evaluate_options_init(given)
        set_members(given, "evaluate", {"seed": seed, "num_threads": threads, **options})
        kept: List[Any] = []  # what the options borrow
        lists = {"methods": methods, "targets": targets, "sources": sources}
        for name, items in lists.items():
            if items is not None:
                kept.append(StringList(self._context, list_of(name, items)))
                setattr(given, name, kept[-1].handle)
        check_callables("evaluate", {"progress": progress})
        kept.append(ffi.new_handle(progress))  # also None: Python raises an interrupt there
        given.progress, given.progress_user = lib.nitro_python_evaluated, kept[-1]
        results = ffi.new("nitro_evaluate_result **")
        count = ffi.new("size_t *")
        self._context.check(
            lib.nitro_evaluate(self.handle, bytes_of(computation), given, results, count)
        )
        try:
            return Table(
                Evaluation(**members_of(results[0] + i, Evaluation._fields)) for i in range(count[0])
            )
        finally:
            lib.nitro_evaluate_results_free(results[0], count[0])
