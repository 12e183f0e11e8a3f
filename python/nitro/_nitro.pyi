# The extension module that make_extension.py writes the source of: C is not typed here.
from typing import Any

ffi: Any
lib: Any
