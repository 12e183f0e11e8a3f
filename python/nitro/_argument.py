"""What C passes around of a Python argument."""

from __future__ import annotations

from typing import Any, Callable, Dict

from ._library import ffi, lib, raised_text


class Passed:
    """The user's object and a variant's result: what callbacks get of an argument's handle."""

    __slots__ = ("value", "result", "reference", "problem")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.result: Any = None
        self.reference: Any = None
        self.problem: Any = None


class Argument:
    """What C passes around as one pointer. A handle keeps its object, so this is another one: the
    user's data are freed with the last reference, not when cycles are collected."""

    __slots__ = ("passed", "handle", "pointer")

    def __init__(self, value: Any) -> None:
        self.passed = passed = Passed(value)
        self.handle = handle = ffi.new_handle(passed)
        self.pointer = ffi.new("nitro_python_argument *", (handle,))


loaded: Dict[Any, Argument] = {}  #: those that C made: what it holds pointers to


def lend(value: Any) -> Any:
    """An argument for C to hold."""
    made = Argument(value)
    loaded[made.pointer] = made
    return made.pointer


def lend_made(context: Any, what: str, make: Callable[[], Any], argument: Any) -> int:
    """Lend what the user's function makes; what it raises is the error of the context."""
    try:
        argument[0] = lend(make())
    except (Exception, SystemExit) as exception:
        why = raised_text(exception, f"{what}: ")
        return int(lib.nitro_fail(context, lib.NITRO_ERR_IO, b"%s", why))
    return int(lib.NITRO_OK)
