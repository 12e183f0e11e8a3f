"""Writes the C source of the package's extension module, by cffi: the types of Nitro's headers, and
the functions that the package calls.

Usage: make_extension.py INCLUDE_DIR PACKAGE_DIR CALLBACKS.h OUTPUT.c
"""

import contextlib
import re
import sys
from pathlib import Path

from cffi import FFI

def declarations(header: str) -> str:
    """What a header declares, without comments, attributes, and preprocessor lines but numbers."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.DOTALL)
    number = r"#define \w+ +\d+[ \t]*$"
    text = re.sub(
        rf"^(?!{number})[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.MULTILINE
    )
    text = re.sub(r'extern "C" \{', "", text)
    text = re.sub(r"^\}\s*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"NITRO_PRINTF\([^)]*\)", "", text)
    text = re.sub(r"\bNITRO_API\b", "", text)
    return re.sub(r"\s+", " ", text)


def used(text: str, names: set[str]) -> str:
    """Of declarations, all types and constants, and the functions of these names."""
    kept = []
    declaration = r"\s*(#define \w+ \d+|(?:[^;{}]|\{(?:[^{}]|\{[^{}]*\})*\})+;)"
    for each in re.findall(declaration, text):
        if re.match(r"#define|typedef|struct \w+;|(struct|enum) \w+ \{", each):
            kept.append(each)
        elif any(name in names for name in re.findall(r"\b(\w+) ?\(", each)[:1]):
            kept.append(each)
    return "\n".join(kept)


def read(header: Path, seen: set[Path]) -> str:
    """A header with the headers that it includes, each where it is first included."""
    seen.add(header)

    def part(match: re.Match[str]) -> str:
        path = folder / match[1]
        return "" if path in seen else read(path, seen)

    folder = header.parent if header.parent.name != "backend" else header.parent.parent
    return re.sub(
        r'^#include "nitro/((?:backend/)?\w+\.h)"$',
        part,
        header.read_text("utf-8"),
        flags=re.MULTILINE,
    )


def main(include_dir: str, package_dir: str, callbacks: str, output: str) -> None:
    seen: set[Path] = set()
    headers = [
        Path(include_dir) / "nitro" / name
        for name in ("nitro.h", "nitro_backend.h", "backend/explain.h")
    ]
    declared = " ".join(declarations(read(header, seen)) for header in headers)
    sources = (path.read_text("utf-8") for path in Path(package_dir).glob("*.py"))
    names = set(re.findall(r"\blib\.(\w+)", " ".join(sources)))
    text = Path(callbacks).read_text("utf-8")
    functions = re.findall(r"^PYTHON_FUNCTION (.*?;)", text, flags=re.MULTILINE | re.DOTALL)
    ffi = FFI()
    kept = used(declared, names)
    missing = [name for name in names if not re.search(rf"\b{name}\b", kept + text + "free")]
    if missing:
        sys.exit(f"the package uses what no header declares: {', '.join(sorted(missing))}")
    ffi.cdef(kept)
    ffi.cdef(text.partition("/* for cffi */")[2].partition("/* end */")[0])
    ffi.cdef('extern "Python" {' + "\n".join(functions) + "}")
    ffi.cdef("void free(void *pointer);")
    ffi.set_source("nitro._nitro", text)
    with contextlib.redirect_stdout(None):  # it says what it does
        ffi.emit_c_code(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
