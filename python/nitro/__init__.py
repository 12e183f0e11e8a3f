"""Nitro: choose the code variant that runs fastest for an input on a device.

The C library decides and learns; this package declares computations in Python, measures them,
learns from stores and evaluates what was learnt. Its log goes to the logger "nitro".
"""

from . import formula
from ._computation import Bound, Computation, Counts, Progress, Ticket
from ._library import Context, NitroError, lib, text_of
from ._model import Column, Decision, Explanation, Model, Prediction, Rank
from ._report import Report, report
from ._store import Copied, Device, Evaluation, Sample, Samples, Store, methods
from ._tables import Table
from ._tuner import Best, Tunable, Tuner, Value, Values

__version__ = text_of(lib.nitro_version())
__all__ = [
    "Best",
    "Bound",
    "Column",
    "Computation",
    "Context",
    "Copied",
    "Counts",
    "Decision",
    "Device",
    "Evaluation",
    "Explanation",
    "Model",
    "NitroError",
    "Prediction",
    "Progress",
    "Rank",
    "Report",
    "Sample",
    "Samples",
    "Store",
    "Table",
    "Ticket",
    "Tunable",
    "Tuner",
    "Value",
    "Values",
    "formula",
    "methods",
    "report",
]
