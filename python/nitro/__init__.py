"""Nitro: choose the code variant that runs fastest for an input on a device.

The C library decides and learns; this package declares computations in Python, learns from stores
and evaluates them. Its log goes to the logger "nitro".
"""

from ._computation import Computation
from ._library import Context, NitroError, lib, text_of
from ._model import Decision, Model, Prediction
from ._store import Evaluation, Store, methods

__version__ = text_of(lib.nitro_version())
__all__ = [
    "Computation",
    "Context",
    "Decision",
    "Evaluation",
    "Model",
    "NitroError",
    "Prediction",
    "Store",
    "methods",
]
