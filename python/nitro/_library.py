"""The C library: its errors as exceptions, its texts as str, its log as a logger."""

from __future__ import annotations

import ctypes
import logging
import os
import threading
from pathlib import Path
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    TypeVar,
    Union,
)


def _load_bundled() -> None:
    """A wheel brings libnitro and what it links to: the extension module then finds them loaded."""
    waiting = sorted((Path(__file__).parent / "lib").glob("*.so*"))
    loaded = True
    while loaded:  # each after those that it links to
        loaded = False
        for path in list(waiting):
            try:
                ctypes.CDLL(str(path))
            except OSError:
                continue
            waiting.remove(path)
            loaded = True


_load_bundled()
try:
    from ._nitro import ffi as ffi
    from ._nitro import lib as lib
except ImportError as error:
    remedy = (
        "The package nitro needs cffi: pip install cffi (Debian: python3-cffi-backend)"
        if error.name == "_cffi_backend"
        else "The package nitro needs its C library: install libnitro0, or a wheel that has it"
    )
    raise ImportError(f"{error}. {remedy}") from error

lib.nitro_python_protect_forks()
logger = logging.getLogger("nitro")
logger.addHandler(logging.NullHandler())
_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)

TextOrPath = Union[str, "os.PathLike[str]"]


class NitroError(Exception):
    """A function of the library failed; `status` is its status as a word, such as "not found"."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message or status)
        self.status = status

    def __reduce__(self) -> Any:  # a process pool pickles what its workers raise
        return type(self), (self.status, str(self))


def text_of(pointer: Any) -> str:
    text: bytes = ffi.string(pointer)
    return text.decode("utf-8", "replace")


def members_of(struct: Any, names: Optional[Iterable[str]] = None) -> Dict[str, Any]:
    """Members of a struct of C, all of them unless named; texts as str, or None for NULL."""
    made = {}
    for name in names or [name for name, _ in ffi.typeof(struct).item.fields]:
        value = getattr(struct, name)
        if isinstance(value, ffi.CData):
            value = None if value == ffi.NULL else text_of(value)
        made[name] = value
    return made


def owned(handle: Any, free: Callable[[Any], None], *uses: Any) -> Any:
    """A C object that is freed with its last reference; what it uses lives as long. (Members of a
    Python object end in the order of their assignment, the context first.)"""
    return ffi.gc(handle, lambda pointer, _uses=uses: free(pointer))


def bytes_of(text: TextOrPath) -> bytes:
    if isinstance(text, os.PathLike):
        text = os.fspath(text)
    if not isinstance(text, str):
        raise TypeError(f"a text is needed, not {text!r}")
    encoded = text.encode("utf-8", "surrogateescape")
    if b"\0" in encoded:
        raise ValueError(f"{text!r} contains a null character, at which C would end it")
    return encoded


def instance(what: str, value: Any, kind: type) -> Any:
    """The value, which is of this class; a path or a list in its place is refused by name."""
    if not isinstance(value, kind):
        raise TypeError(f"{what}: a {kind.__name__} is needed, not {value!r}")
    return value


def list_of(what: str, items: Iterable[Any]) -> List[Any]:
    """The items as a list; those of a text would be its characters."""
    if isinstance(items, str):
        raise TypeError(f"{what}: a list is needed, such as [{items!r}], not the text {items!r}")
    return list(items)


def index_of(what: str, word: str, words: Sequence[str]) -> int:
    """The place of a word among those that are possible."""
    if word not in words:
        raise ValueError(f"{what} '{word}' is not one of {', '.join(words)}")
    return words.index(word)


def check_callables(what: str, functions: Mapping[str, Any], required: str = "") -> None:
    """Refuse now what C could not call later; None is a function that is left out."""
    for name, function in functions.items():
        if not callable(function) and (function is not None or name == required):
            raise TypeError(f"{what}: {name} is {function!r}, not a function")


def data_of(data: bytes) -> Any:
    """The contents of a model file, as C reads them."""
    if isinstance(data, str):
        raise TypeError(
            "a model file's contents are bytes, not text: open it with mode 'rb', or load it by its path"
        )
    return ffi.from_buffer(data)


class Thrown(threading.local):
    """The exception of a callback, until the call that it was made from has returned."""

    exception: Optional[BaseException] = None


thrown = Thrown()

_Function = TypeVar("_Function", bound=Callable[..., Any])


def is_interrupted() -> bool:
    """Whether a callback raised what is no Exception, such as KeyboardInterrupt."""
    return thrown.exception is not None and not isinstance(thrown.exception, Exception)


def goes_on(answer: object) -> bool:
    """What C gets of the user's progress function: False stops."""
    return plain(answer) is not False and not is_interrupted()


def callback(name: str, error: Any = -1) -> Callable[[_Function], _Function]:
    """Implement a PYTHON_FUNCTION of callbacks.h. Its exception is kept for the call that it was
    made from, even KeyboardInterrupt, which must not vanish in C; the library gets `error`."""

    def keep(_type: Any, exception: BaseException, _traceback: Any) -> None:
        thrown.exception = exception

    def define(function: _Function) -> _Function:
        ffi.def_extern(name=name, error=error, onerror=keep)(function)
        return function

    return define


def raised_text(exception: BaseException, before: str = "") -> Any:
    """A C string of what was raised; '?' stands for what UTF-8 does not have."""
    text = f"{before}{type(exception).__name__}: {exception}"
    return ffi.new("char[]", text.encode("utf-8", "replace"))


def plain(value: Any) -> Any:
    """A scalar of numpy as a number, boolean or text of Python."""
    return value.item() if hasattr(value, "item") else value


def judged(check: Callable[[], object], refusal: str, why: Any, size: int) -> int:
    """What C gets of a check: 0 if that gives True, None or "", else -1 with the text it gave, its
    exception, or `refusal`."""
    try:
        verdict = plain(check())
        if not (verdict is None or isinstance(verdict, (bool, str))):
            verdict = f"the check returned {verdict!r}, which is not True, None, False or a text"
    except Exception as exception:
        verdict = f"the check raised {type(exception).__name__}: {exception}"
    if verdict is None or verdict is True or verdict == "":
        return 0
    text = verdict if isinstance(verdict, str) else refusal
    cut = text.encode("utf-8", "replace")[: size - 1] + b"\0"
    ffi.memmove(why, cut, len(cut))
    return -1


class Context:
    """Carries the last error and the log, which goes to the logger "nitro"."""

    def __init__(self) -> None:
        handle = ffi.new("nitro_context **")
        status = lib.nitro_context_create(handle)
        if status != lib.NITRO_OK:
            raise NitroError(text_of(lib.nitro_status_name(status)), "")
        self.handle = ffi.gc(handle[0], lib.nitro_context_free)
        lib.nitro_context_set_log(
            self.handle, lib.NITRO_LOG_DEBUG, lib.nitro_python_log, ffi.NULL
        )

    def set(self, setting: str, value: str, computation: Optional[str] = None) -> None:
        """Make a setting, such as "explain", for one computation or for all."""
        name = ffi.NULL if computation is None else bytes_of(computation)
        self.check(lib.nitro_context_set(self.handle, name, bytes_of(setting), bytes_of(value)))

    def check(self, status: int) -> None:
        """Raise what a callback raised, or a NitroError, unless `status` is NITRO_OK."""
        interrupted = is_interrupted()
        exception, thrown.exception = thrown.exception, None
        if status == lib.NITRO_OK and not interrupted:  # another variant ran, or none failed
            return
        if exception is not None:
            raise exception
        message = ffi.new("char[4096]")
        lib.nitro_context_last_error(self.handle, message, 4096)
        lib.nitro_context_clear_error(self.handle)
        raise NitroError(text_of(lib.nitro_status_name(status)), text_of(message))


@callback("nitro_python_log", error=None)
def _write_log(_user: Any, level: int, message: Any) -> None:
    logger.log(_LEVELS[level], "%s", text_of(message))


_default: List[Context] = []
_default_lock = threading.Lock()


def default_context() -> Context:
    """The context of objects that were not given one."""
    with _default_lock:
        if not _default:
            _default.append(Context())
        return _default[0]


class StringList:
    """A nitro_string_list; freed with this object."""

    def __init__(self, context: Context, items: Optional[Iterable[str]] = None) -> None:
        self.handle = ffi.gc(ffi.new("nitro_string_list *"), lib.nitro_string_list_free)
        for item in items or ():
            context.check(
                lib.nitro_string_list_add(context.handle, self.handle, bytes_of(item))
            )

    def __iter__(self) -> Iterator[str]:
        return iter([text_of(self.handle.items[i]) for i in range(self.handle.count)])


def names_of(handle: Any, count: Callable[[Any], int], name: Callable[[Any, int], Any]) -> List[str]:
    """The names that an object counts and gives by index."""
    return [text_of(name(handle, i)) for i in range(count(handle))]


def set_members(struct: Any, what: str, members: dict[str, Any]) -> None:
    """Set the members of a struct of options; an unknown one is a TypeError that names them all."""
    known = dict(ffi.typeof(struct).item.fields)
    for name, value in members.items():
        if name not in known:
            raise TypeError(f"{what}: there is no option '{name}'; there are {', '.join(known)}")
        try:
            setattr(struct, name, value)
        except (TypeError, OverflowError) as error:
            raise type(error)(f"{what}: {name} is {value!r}: {error}") from error


def set_measure(measure: Any, what: str, members: dict[str, Any]) -> None:
    """Set the members of nitro_measure_options. The most repetitions alone limit the least, too."""
    set_members(measure, what, members)
    if "max_repetitions" in members and "min_repetitions" not in members:
        measure.min_repetitions = min(measure.min_repetitions, measure.max_repetitions)
