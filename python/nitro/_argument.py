"""What C passes around of a Python argument."""

from __future__ import annotations

from typing import Any, Dict

from ._library import ffi


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
