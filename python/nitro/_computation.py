"""Computations: variants and features as Python functions, dispatched by the C library."""

from __future__ import annotations

from os import PathLike
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from ._library import Context, NitroError, bytes_of, default_context, ffi, lib, text_of, thrown
from ._model import Decision, Model, decision_of
from ._store import Store

_SCALES = ("auto", "linear", "log", "signed-log")
_TIME_SOURCES = ("wall", "thread-cpu", "device")


def _options(uses: float) -> Any:
    return ffi.new("nitro_call_options *", {"uses": uses})


class _Argument:
    """What C passes around as one pointer: the user's object and a variant's result."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.result: Any = None


def _guarded(function: Callable[..., int]) -> Callable[..., int]:
    """Wrap a callback: an exception is kept for the call that it was made from."""

    def guarded(*arguments: Any) -> int:
        try:
            return function(*arguments)
        except BaseException as exception:  # even KeyboardInterrupt must not vanish in C
            thrown.exception = exception
            return -1

    return guarded


class Computation:
    """An operation with several variants. Declare all, then load a model, then run.

    >>> total = Computation("total")
    >>> @total.variant("builtin")
    ... def builtin(values): return sum(values)
    >>> @total.feature("length", scale="log")
    ... def length(values): return len(values)
    >>> total.run([1, 2, 3]).result
    6
    """

    def __init__(self, name: str, context: Optional[Context] = None) -> None:
        self._context = context or default_context()
        handle = ffi.new("nitro_computation **")
        self._context.check(
            lib.nitro_computation_create(self._context.handle, bytes_of(name), handle)
        )
        self._handle = ffi.gc(handle[0], lib.nitro_computation_free)
        self._callbacks: List[Any] = []  # C calls them: they live as long as this object

    def _callback(self, declaration: str, function: Callable[..., int]) -> Any:
        made = ffi.callback(declaration, _guarded(function), error=-1)
        self._callbacks.append(made)
        return made

    # ---- Declaring

    def add_variant(
        self,
        name: str,
        run: Callable[[Any], Any],
        allows: Optional[Callable[[Mapping[str, float]], bool]] = None,
        version: str = "1",
        prepare: Optional[Callable[[Any], Any]] = None,
        time_source: str = "wall",
        allows_reads: Optional[Sequence[str]] = None,
        fails_cleanly: bool = False,
    ) -> None:
        """`run` does the whole computation; `allows` judges by an input's features, of which it
        reads those in `allows_reads`, declared before (None: all); `prepare` makes
        what `run` needs, and is at once done where that is there already. Time sources: wall,
        thread-cpu, device (work put on the stream that set_stream's function names).
        `fails_cleanly`: a `run` that raises leaves its outputs as they were, so that the next best
        variant is run instead."""
        if time_source not in _TIME_SOURCES:
            raise ValueError(
                f"variant {name}: time source '{time_source}' is not one of "
                f"{', '.join(_TIME_SOURCES)}"
            )

        def call(argument: Any, _user: Any) -> int:
            given = ffi.from_handle(argument)
            given.result = run(given.value)
            return 0

        def get_ready(argument: Any, _user: Any) -> int:
            assert prepare is not None
            prepare(ffi.from_handle(argument).value)
            return 0

        texts = [ffi.new("char[]", bytes_of(text)) for text in (name, version)]
        made = ffi.new("nitro_variant *")
        made.name, made.version = texts
        made.run = self._callback("int(void *, void *)", call)
        made.time_source = _TIME_SOURCES.index(time_source)
        made.fails_cleanly = fails_cleanly
        if prepare is not None:
            made.prepare = self._callback("int(void *, void *)", get_ready)
        if allows is not None:
            made.allows = self._constraint(allows)
        if allows_reads is not None:
            texts.append(ffi.new("char[]", bytes_of(",".join(allows_reads))))
            made.allows_reads = texts[-1]
        self._context.check(lib.nitro_computation_add_variant(self._handle, made))

    def _constraint(self, allows: Callable[[Mapping[str, float]], bool]) -> Any:
        def ask(features: Any, _argument: Any, _user: Any) -> bool:
            try:
                return bool(allows(dict(zip(self.features, features[0 : len(self.features)]))))
            except Exception:  # a constraint that fails does not allow
                return False

        made = ffi.callback("bool(double *, void *, void *)", ask, error=False)
        self._callbacks.append(made)
        return made

    def variant(self, name: str, **options: Any) -> Callable[[Callable], Callable]:
        """add_variant as a decorator."""

        def declare(run: Callable[[Any], Any]) -> Callable[[Any], Any]:
            self.add_variant(name, run, **options)
            return run

        return declare

    def add_feature(
        self,
        name: str,
        evaluate: Callable[[Any], float],
        unit: str = "1",
        scale: str = "auto",
    ) -> None:
        """Add a feature; `evaluate` returns its value for an input. Scales: auto, linear, log, signed-log."""
        if scale not in _SCALES:
            raise ValueError(f"feature {name}: scale '{scale}' is not one of {', '.join(_SCALES)}")

        def call(argument: Any, values: Any, _user: Any) -> int:
            values[0] = evaluate(ffi.from_handle(argument).value)
            return 0

        texts = [ffi.new("char[]", bytes_of(text)) for text in (name, unit)]
        made = ffi.new("nitro_feature *")
        made.name, made.unit = texts
        made.scale = _SCALES.index(scale)
        callback = self._callback("int(void *, double *, void *)", call)
        self._context.check(
            lib.nitro_computation_add_features(self._handle, made, 1, callback, ffi.NULL)
        )

    def feature(self, name: str, **options: Any) -> Callable[[Callable], Callable]:
        """add_feature as a decorator."""

        def declare(evaluate: Callable[[Any], float]) -> Callable[[Any], float]:
            self.add_feature(name, evaluate, **options)
            return evaluate

        return declare

    def add_relative_feature(
        self, name: str, formula: str, replaces: str = "", unit: str = "1", scale: str = "auto"
    ) -> None:
        """Add a formula over input features and device.NAME, such as "n / device.cuda_cores"."""
        if scale not in _SCALES:
            raise ValueError(f"feature {name}: scale '{scale}' is not one of {', '.join(_SCALES)}")
        texts = [ffi.new("char[]", bytes_of(text)) for text in (name, unit, formula, replaces)]
        made = ffi.new("nitro_relative_feature *")
        made.name, made.unit, made.formula = texts[:3]
        if replaces:
            made.replaces = texts[3]
        made.scale = _SCALES.index(scale)
        self._context.check(lib.nitro_computation_add_relative_feature(self._handle, made))

    def set_default(self, variant: str) -> None:
        """The variant to run without a model; the first declared one unless set."""
        self._context.check(lib.nitro_computation_set_default(self._handle, bytes_of(variant)))

    def set_device_kind(self, kind: str) -> None:
        """The kind of device that the variants run on, e.g. "cuda"; "host" unless set."""
        self._context.check(
            lib.nitro_computation_set_device_kind(self._handle, bytes_of(kind))
        )

    def set_stream(self, stream: Callable[[Any], int]) -> None:
        """`stream` gives the device's stream that an argument's work is put on, as a number: a
        cudaStream_t, such as cupy's stream.ptr; 0 is the default stream."""

        def ask(argument: Any, _user: Any) -> Any:
            return ffi.cast("void *", stream(ffi.from_handle(argument).value))

        made = ffi.new("nitro_hooks *")
        made.stream = ffi.callback("void *(void *, void *)", ask, error=ffi.NULL)
        self._callbacks.append(made.stream)
        self._context.check(lib.nitro_computation_set_hooks(self._handle, made))

    @property
    def name(self) -> str:
        return text_of(lib.nitro_computation_name(self._handle))

    @property
    def variants(self) -> List[str]:
        count = lib.nitro_computation_num_variants(self._handle)
        return [text_of(lib.nitro_computation_variant_name(self._handle, i)) for i in range(count)]

    @property
    def features(self) -> List[str]:
        count = lib.nitro_computation_num_features(self._handle)
        return [text_of(lib.nitro_computation_feature_name(self._handle, i)) for i in range(count)]

    # ---- Dispatching

    def load_model(self, path: Union[str, "PathLike[str]"]) -> None:
        self._context.check(lib.nitro_computation_load_model(self._handle, bytes_of(path)))

    def attach_model(self, model: Model) -> None:
        """Attach a model, which the computation then owns; the Model object is empty afterwards."""
        self._context.check(lib.nitro_computation_attach_model(self._handle, model._handle))
        model.release()

    def set_min_confidence(self, min_confidence: float) -> None:
        """Set the confidence below which the default variant is chosen."""
        self._context.check(
            lib.nitro_computation_set_min_confidence(self._handle, min_confidence)
        )

    def set_uses(self, uses: float) -> None:
        """Set how often an input is run; math.inf, the default: preparing does not count."""
        self._context.check(lib.nitro_computation_set_uses(self._handle, uses))

    def evaluate(self, argument: Any) -> Dict[str, float]:
        """Evaluate all features of an input."""
        names = self.features
        values = ffi.new("double[]", max(len(names), 1))
        handle = ffi.new_handle(_Argument(argument))
        self._context.check(lib.nitro_computation_evaluate(self._handle, handle, values))
        return dict(zip(names, values))

    def select(self, argument: Any, uses: float = 0) -> Decision:
        """Choose the variant expected to run fastest, without running it.

        `uses`: expected runs of this input, for which preparing counts once; 0: as set_uses says.
        """
        made = ffi.new("nitro_decision *")
        handle = ffi.new_handle(_Argument(argument))
        self._context.check(lib.nitro_select_with(self._handle, handle, _options(uses), made))
        return decision_of(made)

    def run(self, argument: Any, uses: float = 0) -> Decision:
        """Choose a variant and run it; the decision's `result` is the variant's. `uses` as in
        select. If a feature or `prepare` raises, the default variant runs: see `reason`."""
        made = ffi.new("nitro_decision *")
        given = _Argument(argument)
        handle = ffi.new_handle(given)
        self._context.check(lib.nitro_run_with(self._handle, handle, _options(uses), made))
        return decision_of(made, given.result)

    def prepare(self, argument: Any, uses: float = 0) -> Decision:
        """The first half of run: choose a variant and prepare it for this argument. `uses` as in
        select."""
        made = ffi.new("nitro_decision *")
        handle = ffi.new_handle(_Argument(argument))
        self._context.check(lib.nitro_prepare_with(self._handle, handle, _options(uses), made))
        return decision_of(made)

    def run_decided(self, argument: Any, decided: Decision) -> Any:
        """The second half: only the variant's run, so that it can be captured in a graph.
        Returns the variant's result."""
        made = ffi.new("nitro_decision *")
        name = ffi.new("char[]", bytes_of(decided.variant))
        made.variant, made.variant_name = decided.index, name
        given = _Argument(argument)
        handle = ffi.new_handle(given)
        self._context.check(lib.nitro_run_decided(self._handle, handle, made))
        return given.result

    # ---- Measuring

    def tune(
        self,
        store: Store,
        inputs: Mapping[str, Callable[[], Any]],
        device: str = "host",
        **measure: float,
    ) -> None:
        """Measure every variant on every input, in worker processes.

        `inputs` gives names, and functions that load an input there. Further keywords set members
        of nitro_measure_options, such as max_repetitions=10 or timeout_ms=1000.
        """
        loaded: Dict[int, Any] = {}  # in the worker: what C holds pointers to

        @ffi.callback("nitro_status(nitro_context *, void *, void **)", error=lib.NITRO_ERR_IO)
        def load(context: Any, state: Any, argument: Any) -> int:
            name, make = ffi.from_handle(state)
            try:
                handle = ffi.new_handle(_Argument(make()))
            except Exception as exception:
                why = f"input {name}: {type(exception).__name__}: {exception}"
                return lib.nitro_fail(
                    context, lib.NITRO_ERR_IO, b"%s", ffi.new("char[]", why.encode())
                )
            loaded[int(ffi.cast("intptr_t", handle))] = handle
            argument[0] = handle
            return lib.NITRO_OK

        @ffi.callback("void(void *)")
        def unload(argument: Any) -> None:
            del loaded[int(ffi.cast("intptr_t", argument))]

        options = ffi.new("nitro_tune_options *")
        lib.nitro_tune_options_init(options)
        for name, value in measure.items():
            if not hasattr(options.measure, name):
                raise TypeError(f"tune: there is no measuring option '{name}'")
            setattr(options.measure, name, value)
        states = [ffi.new_handle(item) for item in inputs.items()]
        names = [ffi.new("char[]", bytes_of(name)) for name in inputs]
        sources = ffi.new("nitro_input[]", len(names))
        for source, name, state in zip(sources, names, states):
            source.name, source.state, source.load, source.unload = name, state, load, unload
        self._context.check(
            lib.nitro_tune(
                self._handle, store.handle, bytes_of(device), sources, len(names), options
            )
        )


__all__ = ["Computation", "NitroError"]
