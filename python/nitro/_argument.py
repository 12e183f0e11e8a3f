"""What C passes around of a Python argument."""

from __future__ import annotations

from typing import Any, Dict

from ._library import ffi


class Argument:
    """The user's object and a variant's result, which C passes around as one pointer."""

    __slots__ = ("value", "result", "reference", "problem", "handle", "pointer")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.result: Any = None
        self.reference: Any = None
        self.problem: Any = None
        self.handle = handle = ffi.new_handle(self)
        self.pointer = ffi.new("nitro_python_argument *", (handle, ffi.NULL))


loaded: Dict[Any, Argument] = {}  #: those that C made: what it holds pointers to
