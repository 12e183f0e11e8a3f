"""The C library: finds it, opens it once, turns its errors into exceptions."""

from __future__ import annotations

import ctypes.util
import logging
import os
import threading
from typing import Any, Iterable, List, Optional

import cffi

from ._declarations import DECLARATIONS

ffi = cffi.FFI()
ffi.cdef(DECLARATIONS)

logger = logging.getLogger("nitro")
logger.addHandler(logging.NullHandler())

#: Before 1.0 a minor version may change the interface: the soname carries it.
_INTERFACE = (0, 1)
_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


def _candidates() -> Iterable[str]:
    named = os.environ.get("NITRO_LIBRARY")
    if named:
        yield named
        return
    yield "libnitro.so." + ".".join(map(str, _INTERFACE))
    found = ctypes.util.find_library("nitro")
    if found:
        yield found


def _open() -> Any:
    reasons = []
    for path in _candidates():
        try:
            library = ffi.dlopen(path)
        except OSError as error:
            reasons.append(str(error))
            continue
        version = ffi.string(library.nitro_version()).decode()
        if tuple(map(int, version.split(".")[:2])) == _INTERFACE:
            return library
        reasons.append(f"{path} is Nitro {version}")
    raise ImportError(
        "nitro needs libnitro {}.{}: install it, or set NITRO_LIBRARY to its path ({})".format(
            *_INTERFACE, "; ".join(reasons)
        )
    )


lib = _open()


class NitroError(Exception):
    """A function of the library failed; `status` is its status as a word."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message or status)
        self.status = status


def text_of(pointer: Any) -> str:
    return ffi.string(pointer).decode("utf-8", "replace")


def bytes_of(text: Any) -> bytes:
    return os.fspath(text).encode("utf-8", "surrogateescape")


class Thrown(threading.local):
    """The exception of a callback, until the call that it was made from has returned."""

    exception: Optional[BaseException] = None


thrown = Thrown()


class Context:
    """Carries the last error and the log, which goes to the logger "nitro"."""

    def __init__(self) -> None:
        handle = ffi.new("nitro_context **")
        status = lib.nitro_context_create(handle)
        if status != lib.NITRO_OK:
            raise NitroError(text_of(lib.nitro_status_name(status)), "")
        self.handle = ffi.gc(handle[0], lib.nitro_context_free)
        self._write_log = ffi.callback("nitro_log_function", _write_log)
        lib.nitro_context_set_log(self.handle, lib.NITRO_LOG_DEBUG, self._write_log, ffi.NULL)

    def check(self, status: int) -> None:
        exception, thrown.exception = thrown.exception, None
        if status == lib.NITRO_OK:  # another variant ran, or there was no failure
            if exception is not None and not isinstance(exception, Exception):
                raise exception  # KeyboardInterrupt
            return
        if exception is not None:
            raise exception
        message = ffi.new("char[4096]")
        lib.nitro_context_last_error(self.handle, message, 4096)
        raise NitroError(text_of(lib.nitro_status_name(status)), text_of(message))


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

    def __iter__(self) -> Iterable[str]:
        return iter([text_of(self.handle.items[i]) for i in range(self.handle.count)])
