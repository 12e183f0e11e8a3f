"""Formulas of common relative features, from formulas of input features such as "12 * nnz"."""

from __future__ import annotations

from typing import Any

from ._library import bytes_of, ffi, lib, text_of


def _written(write: Any, *arguments: Any) -> str:
    given = [each if isinstance(each, float) else bytes_of(each) for each in arguments]
    size = write(ffi.NULL, 0, *given) + 1
    text = ffi.new("char[]", size)
    write(text, size, *given)
    return text_of(text)


def per_thread(work: str) -> str:
    """Work items per resident thread of a GPU."""
    return _written(lib.nitro_formula_per_thread, work)


def per_core(work: str) -> str:
    """Work items per core."""
    return _written(lib.nitro_formula_per_core, work)


def per_l2(size_bytes: str) -> str:
    """Bytes relative to the size of the L2 cache."""
    return _written(lib.nitro_formula_per_l2, size_bytes)


def streaming_time(size_bytes: str, floor_us: float) -> str:
    """The time to stream so many bytes, relative to a floor such as a kernel launch."""
    floor = float(floor_us)
    if not 0 < floor < float("inf"):
        raise ValueError(f"floor_us is {floor_us}: give a positive number of microseconds")
    return _written(lib.nitro_formula_streaming_time, size_bytes, floor)


def imbalance(longest: str, work: str) -> str:
    """The largest piece of work relative to the mean work per core."""
    return _written(lib.nitro_formula_imbalance, longest, work)


def machine_balance(flops: str, size_bytes: str) -> str:
    """Arithmetic intensity relative to the device's balance."""
    return _written(lib.nitro_formula_machine_balance, flops, size_bytes)
