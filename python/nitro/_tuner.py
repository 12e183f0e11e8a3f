"""Functions with tuning parameters: searched in a loop of one's own, in worker processes, or while
an application runs."""

from __future__ import annotations

import json
import math
import sys
import threading
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

from ._argument import lend, lend_made, loaded
from ._library import (
    Context,
    bytes_of,
    callback,
    check_callables,
    default_context,
    ffi,
    goes_on,
    instance,
    judged,
    lib,
    list_of,
    members_of,
    names_of,
    plain,
    set_measure,
)
from ._store import Store

_NULL = ffi.NULL
_from_handle = ffi.from_handle


class _Inside(threading.local):
    """How deep this thread is in functions that C called."""

    depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_exception: object) -> None:
        self.depth -= 1


_inside = _Inside()

_LARGEST = (sys.float_info.max, 2**53)  #: a real number, and a whole one, which C has as a real

Value = Union[bool, int, float, str]
Values = Dict[str, Value]


class Best(NamedTuple):
    """The best configuration that a tuner knows."""

    values: Values
    time_ms: float


def _type_of(name: str, values: Sequence[Value]) -> str:
    if all(isinstance(value, bool) for value in values):
        return "bool"
    if all(isinstance(value, str) for value in values):
        return "string"
    if any(isinstance(value, (bool, str)) for value in values):
        raise ValueError(f"parameter {name}: its values are of different types")
    for value in values:
        if not isinstance(value, (int, float)) or not abs(value) <= _LARGEST[type(value) is int]:
            raise ValueError(
                f"parameter {name}: {value!r} is not a boolean, a text, a finite number or a whole "
                "one of at most 2**53"
            )
    return "int" if all(isinstance(value, int) for value in values) else "float"


class Tunable:
    """A function with tuning parameters.

    parameters: names, and their values in order: whole or real numbers, booleans or texts, of Python or
    numpy.
    run: does the whole computation, given an argument and a dict of values.
    constraints: expressions over the parameters, such as "tile % unroll == 0".
    version: change it with the code.
    check: given an argument and what `run` returned; True or None if that is right, else False or
    a text.
    load: makes an argument, in the worker processes of Tuner.search.
    copy: copies an argument, for online tuning on copies.
    repeatable: a run only overwrites outputs, and may be repeated, also after it failed.
    """

    def __init__(
        self,
        name: str,
        parameters: Mapping[str, Sequence[Value]],
        run: Optional[Callable[[Any, Values], Any]] = None,
        *,
        constraints: Sequence[str] = (),
        version: str = "1",
        check: Optional[Callable[[Any, Any], object]] = None,
        load: Optional[Callable[[], Any]] = None,
        copy: Optional[Callable[[Any], Any]] = None,
        repeatable: bool = False,
    ) -> None:
        self.name = name
        check_callables(
            f"tunable {name}", {"run": run, "check": check, "load": load, "copy": copy}
        )
        self.parameters = {
            each: list(map(plain, list_of(f"parameter {each}", values)))
            for each, values in parameters.items()
        }
        self.run, self.check, self.load, self.copy = run, check, load, copy
        listed = [
            {"Name": each, "Type": _type_of(each, values), "Values": values}
            for each, values in self.parameters.items()
        ]
        space = {"TuningParameters": listed, "Conditions": list_of("constraints", constraints)}
        self._texts = [
            ffi.new("char[]", bytes_of(text))
            for text in (name, version, json.dumps({"ConfigurationSpace": space}))
        ]
        self._handle = ffi.new_handle(self)
        self._made = made = ffi.new("nitro_tunable *")
        made.name, made.version, made.space = self._texts
        made.repeatable = repeatable
        made.user = self._handle
        if run is not None:
            made.run = lib.nitro_python.run_tunable
        made.problem = lib.nitro_python.problem
        if check is not None:
            made.check = lib.nitro_python.check_tunable
        if load is not None:
            made.load, made.unload = lib.nitro_python_load_tunable, lib.nitro_python_unload
        if copy is not None:
            made.copy, made.discard = lib.nitro_python.copy, lib.nitro_python_discard

    def _values(self, numbers: Any) -> Values:
        """What `run` is given, from numbers of C; a text's is its position."""
        made: Values = {}
        for i, (name, values) in enumerate(self.parameters.items()):
            number = numbers[i]
            if isinstance(values[0], str):
                made[name] = values[int(number)]
            else:
                made[name] = next(value for value in values if value == number)
        return made

    def _numbers(self, values: Mapping[str, Value]) -> List[float]:
        if set(values) != set(self.parameters):
            raise ValueError(
                f"tunable {self.name} has the parameters {', '.join(self.parameters)}, not "
                f"{', '.join(values)}"
            )
        numbers = []
        for name, known in self.parameters.items():
            value = values[name]
            if isinstance(known[0], str) and value not in known:
                raise ValueError(
                    f"tunable {self.name}: parameter {name} has no value {value!r}; it has "
                    f"{', '.join(map(repr, known))}"
                )
            numbers.append(float(known.index(value) if isinstance(known[0], str) else value))
        return numbers


@callback("nitro_python_run_tunable")
def _run(argument: Any, values: Any, user: Any) -> int:
    given, tunable = _from_handle(argument), _from_handle(user)
    with _inside:
        given.result = tunable.run(given.value, tunable._values(values))
    return 0


@callback("nitro_python_check_tunable")
def _check(argument: Any, why: Any, size: int, user: Any) -> int:
    given = _from_handle(argument)
    with _inside:
        return judged(
            lambda: _from_handle(user).check(given.value, given.result),
            "the result is wrong",
            why,
            size,
        )


@callback("nitro_python_load_tunable", error=lib.NITRO_ERR_IO)
def _load(context: Any, user: Any, argument: Any) -> int:
    tunable = _from_handle(user)
    return lend_made(context, f"tunable {tunable.name}: load", tunable.load, argument)


@callback("nitro_python_copy", error=_NULL)
def _copy(argument: Any, user: Any) -> Any:
    with _inside:
        return lend(_from_handle(user).copy(_from_handle(argument).value))


@callback("nitro_python_discard", error=None)
def _discard(copied: Any, _user: Any) -> None:
    with _inside:
        del loaded[ffi.cast("nitro_python_argument *", copied)]


@callback("nitro_python_searched", error=False)
def _searched(user: Any, told: Any) -> bool:
    progress = _from_handle(user)["progress"]
    return goes_on(progress and progress(members_of(told)))


class _Search:
    """The tuner of C; it ends with its last user: a Tuner, or a computation that it was added to."""

    def __init__(self, handle: Any, *uses: Any) -> None:
        self.handle = handle
        self.uses = uses

    def __del__(self) -> None:
        # Not by ffi.gc: what the tuner's thread uses must live until it has ended. That thread may
        # be the one that collects garbage, and cannot wait for itself.
        handle, uses = self.handle, self.uses
        if _inside.depth == 0:
            lib.nitro_tuner_free(handle)
        else:
            threading.Thread(target=lambda: (lib.nitro_tuner_free(handle), uses)).start()


class Tuner:
    """A search in the space of a tunable, whose configurations are evaluated by ask() and tell(), by
    search() in worker processes, or by the calls of a computation (Computation.add_tunable).

    >>> tuner = Tuner(Tunable("scan", {"tile": [8, 16, 32]}), budget="2")
    >>> while (values := tuner.ask()) is not None:
    ...     tuner.tell(values, time_ms=1.0 / values["tile"])
    >>> tuner.statistics()["num_evaluated"]
    2

    searcher: as for `nitro search`, such as "genetic:population=30".
    budget: evaluations ("220"), seconds ("60s"), a fraction of the space ("0.1"), a time in ms that
    is good enough ("time<=1.5"), or several with commas.
    starts: configurations to begin with.
    store: keeps evaluations, which are then not made again.
    """

    def __init__(
        self,
        tunable: Tunable,
        *,
        searcher: str = "auto",
        budget: str = "220",
        seed: int = 1,
        starts: Sequence[Mapping[str, Value]] = (),
        store: Optional[Store] = None,
        context: Optional[Context] = None,
    ) -> None:
        self.tunable = instance("Tuner", tunable, Tunable)
        self._context = context or default_context()
        self._told: Dict[str, Any] = {"progress": None}
        user = ffi.new_handle(self._told)
        options = ffi.new("nitro_tuner_options *")
        lib.nitro_tuner_options_init(options)
        texts = [ffi.new("char[]", bytes_of(text)) for text in (searcher, budget)]
        options.searcher, options.budget = texts
        options.seed = seed
        numbers = ffi.new("double[]", [n for each in starts for n in tunable._numbers(each)])
        options.starts, options.num_starts = numbers, len(starts)
        opened = _NULL if store is None else instance("Tuner: store", store, Store).handle
        options.store = opened
        options.progress, options.progress_user = lib.nitro_python_searched, user
        handle = ffi.new("nitro_tuner **")
        self._context.check(
            lib.nitro_tuner_create(self._context.handle, tunable._made, options, handle)
        )
        uses = (self._context, tunable, self._told, user, opened)
        self._search: Optional[_Search] = _Search(handle[0], *uses)
        self._size = lib.nitro_tuner_num_parameters(self.handle)

    @property
    def handle(self) -> Any:
        if self._search is None:
            raise ValueError("the tuner is closed")
        return self._search.handle

    def close(self) -> None:
        """End the search, and its thread; that of a computation ends with the computation."""
        self._search = None

    @property
    def parameters(self) -> List[str]:
        return names_of(
            self.handle, lib.nitro_tuner_num_parameters, lib.nitro_tuner_parameter_name
        )

    def ask(self) -> Optional[Values]:
        """The next configuration to evaluate; None: finished, or all that is left is awaited."""
        values, is_finished = ffi.new("double[]", self._size), ffi.new("bool *")
        self._context.check(lib.nitro_tuner_ask(self.handle, values, is_finished))
        return None if is_finished[0] else self.tunable._values(values)

    def tell(self, values: Mapping[str, Value], time_ms: Optional[float]) -> None:
        """Tell the time of a configuration; None: it is invalid."""
        numbers = ffi.new("double[]", self.tunable._numbers(values))
        time = math.nan if time_ms is None else time_ms
        self._context.check(lib.nitro_tuner_tell(self.handle, numbers, time))

    @property
    def best(self) -> Optional[Best]:
        """The best configuration so far; None: no valid one is known."""
        values, time_ms = ffi.new("double[]", self._size), ffi.new("double *")
        if math.isnan(self.statistics()["best_ms"]):
            return None
        self._context.check(lib.nitro_tuner_best(self.handle, values, time_ms))
        return Best(self.tunable._values(values), time_ms[0])

    def search(
        self,
        progress: Optional[Callable[[Dict[str, float]], Any]] = None,
        **measure: float,
    ) -> Optional[Best]:
        """Evaluate in worker processes, on what the tunable's `load` makes, until the budget is used
        up. `progress` gets statistics() after each evaluation, and stops the search if it returns
        False. measure: members of nitro_measure_options, such as max_repetitions=10."""
        options = ffi.new("nitro_tune_options *")
        lib.nitro_tune_options_init(options)
        set_measure(ffi.addressof(options, "measure"), "search", measure)
        check_callables("search", {"progress": progress})
        self._told["progress"] = progress
        self._context.check(
            lib.nitro_tuner_search(self.handle, _NULL, ffi.addressof(options, "measure"))
        )
        return self.best

    def restart(self) -> None:
        """Search anew, as for another size of input, from the best configuration so far."""
        self._context.check(lib.nitro_tuner_restart(self.handle))

    def statistics(self) -> Dict[str, float]:
        """What was evaluated, and what online tuning cost: members of nitro_tuner_statistics."""
        counts = ffi.new("nitro_tuner_statistics *")
        self._context.check(lib.nitro_tuner_get_statistics(self.handle, counts))
        return members_of(counts)
