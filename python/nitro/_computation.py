"""Computations: variants and features as Python functions, dispatched by the C library."""

from __future__ import annotations

import collections.abc
import copy
import sys
import warnings
from typing import (
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    TypeVar,
    Union,
)

from ._argument import Argument, lend_made, loaded
from ._library import (
    Context,
    TextOrPath,
    bytes_of,
    callback,
    check_callables,
    data_of,
    default_context,
    ffi,
    goes_on,
    index_of,
    instance,
    judged,
    lib,
    list_of,
    logger,
    members_of,
    names_of,
    owned,
    raised_text,
    set_measure,
    set_members,
    text_of,
    thrown,
)
from ._model import Decision, Model, decision_of, feature_values, reasons
from ._store import Store
from ._tuner import Tuner

_SCALES = ("auto", "linear", "log", "signed-log")
_TIME_SOURCES = ("kind", "thread-cpu", "device", "wall")
_ONLINE_DATA = ("own", "copy", "background")

_Function = TypeVar("_Function", bound=Callable[..., Any])

_NULL = ffi.NULL
_from_handle = ffi.from_handle
_run_with = lib.nitro_run_with
_OK = lib.NITRO_OK


class Progress(NamedTuple):
    """How far tune() is, in inputs."""

    done: int
    total: int
    resumed: int  #: of `done`, those found in the store
    failed: int  #: inputs that could not be loaded
    elapsed_ms: float
    input: Optional[str]  #: the last one done
    best: Optional[str]  #: its fastest variant
    again: int = 0  #: further blocks of inputs, measured so far


class Counts(NamedTuple):
    """Of the memo of decisions."""

    entries: int
    hits: int
    misses: int
    evictions: int


class _Variant:
    """What C calls of a variant."""

    __slots__ = ("run", "prepare", "release", "allows", "reads", "features")

    def __init__(
        self,
        run: Callable[[Any], Any],
        prepare: Optional[Callable[[Any], Any]],
        release: Optional[Callable[[Any], Any]],
        allows: Optional[Callable[[Mapping[str, float]], bool]],
        reads: Optional[List[str]],  # what `allows` gets: others may be unknown; None: all
        features: List[str],
    ) -> None:
        self.run = run
        self.prepare = prepare
        self.release = release
        self.allows = allows
        self.reads = reads
        self.features = features


class _Hooks:
    """What C calls of a computation."""

    def __init__(self) -> None:
        self.save: Optional[Callable[[Any], Any]] = None
        self.restore: Optional[Callable[[Any], Any]] = None
        self.outcome: Callable[[Any, Any], Any] = lambda _argument, result: result
        self.check: Optional[Callable[[Any, Any], object]] = None
        self.stream: Optional[Callable[[Any], int]] = None


def _forget_thrown() -> None:
    """A feature or variant raised, and this one is called instead: its own calls must not fail by
    that. KeyboardInterrupt is not forgotten."""
    if isinstance(thrown.exception, Exception):
        thrown.exception = None


@callback("nitro_python_run")
def _run(argument: Any, user: Any) -> int:
    given = _from_handle(argument)
    if thrown.exception is not None:
        _forget_thrown()
    given.result = _from_handle(user).run(given.value)
    return 0


@callback("nitro_python_prepare")
def _prepare(argument: Any, user: Any) -> int:
    if thrown.exception is not None:
        _forget_thrown()
    _from_handle(user).prepare(_from_handle(argument).value)
    return 0


@callback("nitro_python_release", error=None)
def _release(argument: Any, user: Any) -> None:
    _from_handle(user).release(_from_handle(argument).value)


@callback("nitro_python_allows", error=False)
def _allows(features: Any, _argument: Any, user: Any) -> bool:
    variant = _from_handle(user)
    names = variant.features
    reads = names if variant.reads is None else variant.reads
    values = zip(names, features[0 : len(names)])
    try:
        return bool(variant.allows({name: value for name, value in values if name in reads}))
    except Exception:  # a constraint that fails does not allow
        logger.warning("a constraint failed; its variant is not allowed", exc_info=True)
        return False


@callback("nitro_python_evaluate")
def _evaluate(argument: Any, values: Any, user: Any) -> int:
    names, evaluate = _from_handle(user)
    result = evaluate(_from_handle(argument).value)
    try:
        if len(names) == 1 and not isinstance(result, (tuple, list)):
            values[0] = result
            return 0
        if len(result) == len(names):
            for i, value in enumerate(result):
                values[i] = value
            return 0
    except (TypeError, OverflowError) as error:
        needed = "a number" if len(names) == 1 else f"a sequence of {len(names)} numbers"
        raise TypeError(
            f"{', '.join(names)}: {needed} is needed, not {type(result).__name__}: {error}"
        ) from error
    raise ValueError(
        f"{', '.join(names)}: one value each is needed; the number returned is {len(result)}"
    )


@callback("nitro_python_prepare_input")
def _save(argument: Any, user: Any) -> int:
    _from_handle(user).save(_from_handle(argument).value)
    return 0


@callback("nitro_python_restore_input")
def _restore(argument: Any, user: Any) -> int:
    _from_handle(user).restore(_from_handle(argument).value)
    return 0


@callback("nitro_python_keep_reference")
def _keep_reference(argument: Any, user: Any) -> int:
    given = _from_handle(argument)
    given.reference = copy.deepcopy(_from_handle(user).outcome(given.value, given.result))
    return 0


@callback("nitro_python_check_result")
def _check_result(argument: Any, why: Any, size: int, user: Any) -> int:
    given, hooks = _from_handle(argument), _from_handle(user)
    return judged(
        lambda: hooks.check(given.reference, hooks.outcome(given.value, given.result)),
        "the result differs from the reference",
        why,
        size,
    )


@callback("nitro_python_stream", error=_NULL)
def _stream(argument: Any, user: Any) -> Any:
    return ffi.cast("void *", _from_handle(user).stream(_from_handle(argument).value))


@callback("nitro_python_problem", error=_NULL)
def _problem(argument: Any, _user: Any) -> Any:
    """The exception of a variant, as the error's or the sample's reason."""
    exception = thrown.exception
    if exception is None or argument == _NULL:
        return _NULL
    given = _from_handle(argument)
    given.problem = raised_text(exception)
    return given.problem


@callback("nitro_python_load", error=lib.NITRO_ERR_IO)
def _load(context: Any, state: Any, argument: Any) -> int:
    name, make = _from_handle(state)
    return lend_made(context, f"input {name}", make, argument)


@callback("nitro_python_unload", error=None)
def _unload(argument: Any) -> None:
    del loaded[ffi.cast("nitro_python_argument *", argument)]


@callback("nitro_python_tuned", error=False)
def _tuned(user: Any, told: Any) -> bool:
    return goes_on(_from_handle(user)(Progress(**members_of(told, Progress._fields))))


def _print_progress(progress: Progress) -> None:
    line = f"\r{progress.done} of {progress.total} inputs"
    if progress.resumed > 0:
        line += f", {progress.resumed} of them in the store already"
    if progress.failed > 0:
        line += f", {progress.failed} could not be loaded"
    if progress.again > 0:
        line += f", {progress.again} further block{'s' if progress.again > 1 else ''}"
    print(line, end="", file=sys.stderr, flush=True)


class Bound:
    """An argument whose features are evaluated once, for many calls: made by Computation.bind.

    The features stay those of the moment of binding; those declared later are evaluated by each
    call. One thread at a time may use it.
    """

    __slots__ = ("_argument", "_features", "_made", "_computation", "_handle", "_options")

    def __init__(self, computation: "Computation", argument: Any, uses: float) -> None:
        self._computation = computation
        self._handle = computation._handle
        self._argument = Argument(argument)
        self._features = computation._feature_values(self._argument)
        self._argument.pointer.features = self._features
        self._argument.pointer.num_features = len(self._features)
        self._made = ffi.new("nitro_decision *")
        self._options = ffi.new("nitro_call_options *", {"uses": uses})

    @property
    def features(self) -> Dict[str, float]:
        return dict(zip(self._computation.features, self._features))

    def run(self) -> Decision:
        """As Computation.run, with the features of bind()."""
        passed, made = self._argument.passed, self._made
        status = _run_with(self._handle, self._argument.pointer, self._options, made)
        if status != _OK or thrown.exception is not None:
            self._computation._context.check(status)
        index = made.variant
        result, passed.result = passed.result, None
        return Decision(
            self._computation._names[index], index, made.confidence, reasons[made.reason], result
        )

    def select(self) -> Decision:
        """As Computation.select, with the features of bind()."""
        self._computation._context.check(
            lib.nitro_select_with(self._handle, self._argument.pointer, self._options, self._made)
        )
        return decision_of(self._made)


class Ticket:
    """A decision in progress: made by Computation.begin. Run or cancel it, once."""

    def __init__(self, computation: "Computation", argument: Any) -> None:
        self._context = computation._context
        self._argument = Argument(argument)
        self._computation = computation  # lives as long as the ticket
        ticket = ffi.new("nitro_ticket *")
        self._context.check(
            lib.nitro_features_begin(computation._handle, self._argument.pointer, ticket)
        )
        self._ticket = owned(ticket, lib.nitro_ticket_cancel, computation, self._argument)

    def _take(self) -> Any:
        if self._ticket is None:
            raise ValueError("the ticket was run or cancelled before")
        ticket, self._ticket = self._ticket, None
        return ticket

    def run(self) -> Decision:
        made = ffi.new("nitro_decision *")
        ticket = self._take()
        ffi.gc(ticket, None)  # it ends by running
        self._context.check(lib.nitro_run_ticket(ticket, made))
        return decision_of(made, self._argument.passed.result)

    def cancel(self) -> None:
        ffi.release(self._take())


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
        self._kept: List[Any] = []  # what C points to lives as long as the handle
        self._handle = owned(handle[0], lib.nitro_computation_free, self._context, self._kept)
        self._names: List[str] = []
        self._feature_names: List[str] = []
        self._hooks = _Hooks()
        self._hooks_handle = ffi.new_handle(self._hooks)
        self._context.check(
            lib.nitro_computation_set_problem(self._handle, lib.nitro_python.problem, _NULL)
        )

    # ---- Declaring

    def add_variant(
        self,
        name: str,
        run: Callable[[Any], Any],
        *,
        allows: Optional[Callable[[Mapping[str, float]], bool]] = None,
        allows_reads: Optional[Sequence[str]] = None,
        prepare: Optional[Callable[[Any], Any]] = None,
        release: Optional[Callable[[Any], Any]] = None,
        version: str = "1",
        time_source: str = "kind",
        fails_cleanly: bool = False,
    ) -> None:
        """Declare a variant; the first one is the default.

        run: does the whole computation.
        allows: judges by the features in `allows_reads`, declared before (None: by all).
        prepare: makes what `run` needs, and returns at once where that is there already.
        release: undoes it.
        version: change it with the code.
        time_source: wall, thread-cpu, device (work put on the stream of set_hooks), or kind: wall on
        the host, else device.
        fails_cleanly: a `run` that raises leaves its outputs as they were, so that the next best
        variant is run instead.
        """
        clock = index_of(f"variant {name}: time source", time_source, _TIME_SOURCES)
        functions = {"run": run, "allows": allows, "prepare": prepare, "release": release}
        check_callables(f"variant {name}", functions, required="run")
        reads = None
        if allows_reads is not None:
            reads = ",".join(list_of(f"variant {name}: allows_reads", allows_reads)).split(",")
        user = ffi.new_handle(_Variant(run, prepare, release, allows, reads, self._feature_names))
        texts = [ffi.new("char[]", bytes_of(text)) for text in (name, version)]
        made = ffi.new("nitro_variant *")
        made.name, made.version = texts
        made.run = lib.nitro_python.run
        made.time_source = clock
        made.fails_cleanly = fails_cleanly
        if prepare is not None:
            made.prepare = lib.nitro_python.prepare
        if release is not None:
            made.release = lib.nitro_python.release
        if allows is not None:
            made.allows = lib.nitro_python.allows
        if reads is not None:
            texts.append(ffi.new("char[]", bytes_of(",".join(reads))))
            made.allows_reads = texts[-1]
        made.user = user
        self._context.check(lib.nitro_computation_add_variant(self._handle, made))
        self._kept.append((user, _from_handle(user)))
        self._names.append(name)

    def variant(self, name: str, **options: Any) -> Callable[[_Function], _Function]:
        """add_variant as a decorator."""

        def declare(run: _Function) -> _Function:
            self.add_variant(name, run, **options)
            return run

        return declare

    def add_tunable(
        self, tuner: Tuner, *, share: float = 0.1, data: str = "own", repetitions: int = 3
    ) -> None:
        """Declare a variant that runs a tuner's best configuration, and in some calls tries another.

        share: of the calls, at most; until a valid configuration is known, every call tries one.
        data: "own": the calls' arguments; "copy": copies, before the call's own run; "background":
        copies, in a thread of the tuner.
        repetitions: runs whose median is a configuration's time.
        """
        options = ffi.new("nitro_online_options *")
        lib.nitro_online_options_init(options)
        options.share, options.repetitions = share, repetitions
        options.data = index_of("data", data, _ONLINE_DATA)
        tried = instance(f"{self.name}: add_tunable", tuner, Tuner)
        self._context.check(
            lib.nitro_computation_add_tunable(self._handle, tried.handle, options)
        )
        self._kept.append(tried._search)
        self._names.append(tried.tunable.name)

    def add_features(
        self,
        names: Sequence[str],
        evaluate: Callable[[Any], Any],
        *,
        unit: str = "1",
        scale: str = "auto",
        cost_ns: float = 0,
    ) -> None:
        """Declare features that one call of `evaluate` computes together, as a sequence; of a single
        one, as a number. Scales: auto, linear, log, signed-log. `cost_ns`: of that call."""
        names = list_of("names of features", names)
        what = f"feature {', '.join(names)}"
        check_callables(what, {"evaluate": evaluate}, required="evaluate")
        scaled = index_of(f"{what}: scale", scale, _SCALES)
        texts = [ffi.new("char[]", bytes_of(text)) for text in (*names, unit)]
        made = ffi.new("nitro_feature[]", len(names))
        for i, each in enumerate(made):
            each.name, each.unit, each.scale = texts[i], texts[-1], scaled
            each.cost_ns = cost_ns if i == 0 else 0
        function = (names, evaluate)
        handle = ffi.new_handle(function)
        first = lib.nitro_computation_num_features(self._handle)
        group = ffi.new("nitro_python_features *", (handle, first, len(names)))
        self._context.check(
            lib.nitro_computation_add_features(
                self._handle, made, len(names), lib.nitro_python.evaluate, group
            )
        )
        self._kept.append((function, handle, group))
        self._feature_names += names

    def add_feature(
        self,
        name: str,
        evaluate: Callable[[Any], float],
        *,
        unit: str = "1",
        scale: str = "auto",
        cost_ns: float = 0,
    ) -> None:
        """Declare one feature: add_features with a number."""
        self.add_features([name], evaluate, unit=unit, scale=scale, cost_ns=cost_ns)

    def feature(self, name: str, **options: Any) -> Callable[[_Function], _Function]:
        """add_feature as a decorator."""

        def declare(evaluate: _Function) -> _Function:
            self.add_feature(name, evaluate, **options)
            return evaluate

        return declare

    def add_relative_feature(
        self, name: str, formula: str, *, replaces: str = "", unit: str = "1", scale: str = "auto"
    ) -> None:
        """Add a formula over input features and device.NAME, such as "n / device.cuda_cores";
        nitro.formula makes common ones."""
        texts = [ffi.new("char[]", bytes_of(text)) for text in (name, unit, formula, replaces)]
        made = ffi.new("nitro_relative_feature *")
        made.name, made.unit, made.formula = texts[:3]
        if replaces:
            made.replaces = texts[3]
        made.scale = index_of(f"feature {name}: scale", scale, _SCALES)
        self._context.check(lib.nitro_computation_add_relative_feature(self._handle, made))

    def set_default(self, variant: str) -> None:
        """The variant to run without a model; the first declared one unless set."""
        self._context.check(lib.nitro_computation_set_default(self._handle, bytes_of(variant)))

    def set_reference(self, variant: str) -> None:
        """The variant that results are checked against; the default one unless set."""
        self._context.check(lib.nitro_computation_set_reference(self._handle, bytes_of(variant)))

    def set_device_kind(self, kind: str) -> None:
        """The kind of device that the variants run on, e.g. "cuda"; "host" unless set."""
        self._context.check(
            lib.nitro_computation_set_device_kind(self._handle, bytes_of(kind))
        )

    def set_hooks(
        self,
        *,
        check: Optional[Callable[[Any, Any], object]] = None,
        outcome: Optional[Callable[[Any, Any], Any]] = None,
        save: Optional[Callable[[Any], Any]] = None,
        restore: Optional[Callable[[Any], Any]] = None,
        stream: Optional[Callable[[Any], int]] = None,
    ) -> None:
        """Replace the functions for measuring.

        check: compares the reference variant's outcome (first) with another variant's: True or None
        if they agree, else False or a text with the difference.
        outcome: gives what a variant computed, from its argument and what it returned; unless set,
        the latter. That of the reference is copied.
        save: called once for an input, before any variant: keep what variants overwrite.
        restore: called before every run, not timed: restore the input.
        stream: gives the stream that an argument's work is put on, as a number: a cudaStream_t,
        such as cupy's stream.ptr; 0 is the default stream.
        """
        functions = {"check": check, "outcome": outcome, "save": save, "restore": restore}
        check_callables(f"{self.name}: set_hooks", {**functions, "stream": stream})
        hooks = self._hooks
        hooks.check, hooks.save, hooks.restore, hooks.stream = check, save, restore, stream
        hooks.outcome = outcome or (lambda _argument, result: result)
        self._apply_hooks()

    def _apply_hooks(self) -> None:
        hooks, given = ffi.new("nitro_hooks *"), self._hooks
        hooks.user = self._hooks_handle
        if given.save is not None:
            hooks.prepare_input = lib.nitro_python.prepare_input
        if given.restore is not None:
            hooks.restore_input = lib.nitro_python.restore_input
        if given.check is not None:
            hooks.keep_reference = lib.nitro_python.keep_reference
            hooks.check_result = lib.nitro_python.check_result
        if given.stream is not None:
            hooks.stream = lib.nitro_python.stream
        self._context.check(lib.nitro_computation_set_hooks(self._handle, hooks))

    @property
    def name(self) -> str:
        return text_of(lib.nitro_computation_name(self._handle))

    @property
    def device_kind(self) -> str:
        return text_of(lib.nitro_computation_device_kind(self._handle))

    @property
    def variants(self) -> List[str]:
        return names_of(
            self._handle,
            lib.nitro_computation_num_variants,
            lib.nitro_computation_variant_name,
        )

    @property
    def features(self) -> List[str]:
        return names_of(
            self._handle,
            lib.nitro_computation_num_features,
            lib.nitro_computation_feature_name,
        )

    # ---- Choosing how calls are decided

    def load_model(self, path: TextOrPath) -> None:
        self._context.check(lib.nitro_computation_load_model(self._handle, bytes_of(path)))

    def load_model_bytes(self, data: bytes) -> None:
        """load_model with a model file's contents."""
        read = data_of(data)
        self._context.check(
            lib.nitro_computation_load_model_memory(self._handle, read, len(read))
        )

    def attach_model(self, model: Model) -> None:
        """Attach a model, which the computation then owns; the Model object is empty afterwards."""
        given = instance(f"{self.name}: attach_model", model, Model)._handle
        self._context.check(lib.nitro_computation_attach_model(self._handle, given))
        model.release()

    def configure(self) -> None:
        """Apply the user's settings: NITRO_MODEL, NITRO_FORCE and the others of `nitro config`."""
        self._context.check(lib.nitro_computation_configure(self._handle))

    def force(self, variant: Optional[str]) -> None:
        """Choose this variant for every input that it accepts; None: end that."""
        name = _NULL if variant is None else bytes_of(variant)
        self._context.check(lib.nitro_computation_force(self._handle, name))

    def set_min_confidence(self, min_confidence: float) -> None:
        """Set the confidence below which the default variant is chosen."""
        self._context.check(
            lib.nitro_computation_set_min_confidence(self._handle, min_confidence)
        )

    def set_uses(self, uses: float) -> None:
        """Set how often an input is run; math.inf, the default: preparing does not count."""
        self._context.check(lib.nitro_computation_set_uses(self._handle, uses))

    def set_memo_size(self, entries: int) -> None:
        """Set how many decisions are cached by their features; 0: none."""
        self._context.check(lib.nitro_computation_set_memo_size(self._handle, entries))

    def memo_statistics(self) -> Counts:
        counts = ffi.new("nitro_memo_statistics *")
        lib.nitro_computation_memo_statistics(self._handle, counts)
        return Counts(counts.num_entries, counts.hits, counts.misses, counts.evictions)

    def set_feature_options(self, threads: int = 0, budget_us: float = 0) -> None:
        """Evaluate expensive features on so many threads, and within a budget."""
        options = ffi.new("nitro_feature_options *", (threads, budget_us))
        self._context.check(lib.nitro_computation_set_feature_options(self._handle, options))

    # ---- Dispatching

    def _feature_values(self, argument: Argument) -> Any:
        values = ffi.new("double[]", lib.nitro_computation_num_features(self._handle))
        self._context.check(
            lib.nitro_computation_evaluate(self._handle, argument.pointer, values)
        )
        return values

    def evaluate(self, argument: Any) -> Dict[str, float]:
        """Evaluate all features of an input."""
        return dict(zip(self.features, self._feature_values(Argument(argument))))

    def bind(self, argument: Any, uses: float = 0) -> Bound:
        """Evaluate the features of an input once, for many calls. `uses` as in select."""
        return Bound(self, argument, uses)

    def select(self, argument: Any, uses: float = 0) -> Decision:
        """Choose the variant expected to run fastest, without running it.

        `uses`: expected runs of this input, for which preparing counts once; 0: as set_uses says.
        """
        made = ffi.new("nitro_decision *")
        options = ffi.new("nitro_call_options *", {"uses": uses})
        given = Argument(argument)
        self._context.check(lib.nitro_select_with(self._handle, given.pointer, options, made))
        return decision_of(made)

    def select_features(self, features: Mapping[str, float], uses: float = 0) -> Decision:
        """Choose from features that are known; all of them must be given by name."""
        values = feature_values(self.name, self.features, features)
        made = ffi.new("nitro_decision *")
        options = ffi.new("nitro_call_options *", {"uses": uses})
        self._context.check(
            lib.nitro_select_features_with(self._handle, values, len(values), options, made)
        )
        return decision_of(made)

    def run(self, argument: Any, uses: float = 0) -> Decision:
        """Choose a variant and run it; the decision's `result` is the variant's. `uses` as in
        select. If a feature or `prepare` raises, the default variant runs: see `reason`."""
        made = ffi.new("nitro_decision *")
        given = Argument(argument)
        options = ffi.new("nitro_call_options *", (uses,)) if uses else _NULL
        status = _run_with(self._handle, given.pointer, options, made)
        if status != _OK or thrown.exception is not None:
            self._context.check(status)
        index = made.variant
        return Decision(
            self._names[index], index, made.confidence, reasons[made.reason], given.passed.result
        )

    def prepare(self, argument: Any, uses: float = 0) -> Decision:
        """The first half of run: choose a variant and prepare it for this argument. `uses` as in
        select."""
        made = ffi.new("nitro_decision *")
        options = ffi.new("nitro_call_options *", {"uses": uses})
        given = Argument(argument)
        self._context.check(lib.nitro_prepare_with(self._handle, given.pointer, options, made))
        return decision_of(made)

    def run_decided(self, argument: Any, decided: Decision) -> Any:
        """The second half: only the variant's run, so that it can be captured in a graph.
        Returns the variant's result."""
        made = ffi.new("nitro_decision *")
        name = ffi.new("char[]", bytes_of(decided.variant))
        made.variant, made.variant_name = decided.number, name
        given = Argument(argument)
        self._context.check(lib.nitro_run_decided(self._handle, given.pointer, made))
        return given.passed.result

    def begin(self, argument: Any) -> Ticket:
        """Begin to evaluate the features of a final input on the computation's threads."""
        return Ticket(self, argument)

    # ---- Watching

    def monitor(self, **options: float) -> None:
        """Time calls, report drift by warnings, and adapt decisions if asked to. Options are the
        members of nitro_monitor_options, such as every=64, adapt_percent=2, num_recorded=1000."""
        given = ffi.new("nitro_monitor_options *")
        lib.nitro_monitor_options_init(given)
        set_members(given, "monitor", options)
        self._context.check(lib.nitro_computation_monitor(self._handle, given))

    def stop_monitoring(self) -> None:
        self._context.check(lib.nitro_computation_monitor(self._handle, _NULL))

    def monitor_statistics(self) -> Dict[str, float]:
        """Counts since monitor(), by the members of nitro_monitor_statistics."""
        counts = ffi.new("nitro_monitor_statistics *")
        lib.nitro_computation_monitor_statistics(self._handle, counts)
        return members_of(counts)

    def record_to(self, store_url: Optional[TextOrPath] = None, interval_s: float = 60) -> None:
        """Keep learning online between runs of the program: start with the store's observations, and
        move new ones there every so many seconds and at exit. None: the user's store."""
        url = _NULL if store_url is None else bytes_of(store_url)
        self._context.check(lib.nitro_computation_record_to(self._handle, url, interval_s))

    def flush_observations(self, store: Store) -> int:
        """Move the calls that monitor(num_recorded=...) kept to a store; gives the samples made."""
        count = ffi.new("size_t *")
        opened = instance(f"{self.name}: flush_observations", store, Store).handle
        self._context.check(
            lib.nitro_computation_flush_observations(self._handle, opened, count)
        )
        return int(count[0])

    # ---- Measuring

    def tune(
        self,
        store: Store,
        inputs: Mapping[str, Callable[[], Any]],
        device: str = "host",
        *,
        progress: Union[bool, Callable[[Progress], Any]] = False,
        again: bool = False,
        **measure: float,
    ) -> None:
        """Measure every variant on every input, in worker processes, and store the samples.

        inputs: names, and functions that load an input there.
        progress: True prints a line on stderr; a function gets a Progress, and stops the tune if it
        returns False.
        again: also measure inputs that the store has samples of.
        measure: members of nitro_measure_options, such as max_repetitions=10 or timeout_ms=1000.
        """
        if self._hooks.check is None and len(self._names) > 1:
            warnings.warn(
                f"{self.name}: no results are checked while measuring, so a wrong variant can win; "
                "set_hooks(check=...) compares them with the reference variant's",
                stacklevel=2,
            )
        options = ffi.new("nitro_tune_options *")
        lib.nitro_tune_options_init(options)
        set_measure(ffi.addressof(options, "measure"), "tune", measure)
        options.again = again
        instance(f"{self.name}: tune: inputs", inputs, collections.abc.Mapping)
        for name, load in inputs.items():
            check_callables(f"{self.name}: input", {name: load}, required=name)
        # Also without a function: Python raises an interrupt there.
        function = _print_progress if progress is True else progress or (lambda _: None)
        check_callables(f"{self.name}: tune", {"progress": function})
        opened = instance(f"{self.name}: tune", store, Store).handle
        user = ffi.new_handle(function)
        options.progress, options.progress_user = lib.nitro_python_tuned, user
        items = list(inputs.items())
        states = [ffi.new_handle(item) for item in items]
        names = [ffi.new("char[]", bytes_of(name)) for name in inputs]
        sources = ffi.new("nitro_input[]", len(names))
        for source, name, state in zip(sources, names, states):
            source.name, source.state = name, state
            source.load, source.unload = lib.nitro_python_load, lib.nitro_python_unload
        status = lib.nitro_tune(
            self._handle, opened, bytes_of(device), sources, len(names), options
        )
        if progress is True:
            print(file=sys.stderr)  # ends the line
        self._context.check(status)
