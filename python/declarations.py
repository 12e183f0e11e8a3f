"""From Nitro's C headers to declarations that cffi reads, so that the two cannot disagree.

Usage: declarations.py HEADER... OUTPUT
"""

import re
import sys
from pathlib import Path


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
    lines = (re.sub(r"\s+", " ", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


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


def main(arguments: list[str]) -> None:
    *headers, output = arguments
    seen: set[Path] = set()
    text = "\n".join(declarations(read(Path(header), seen)) for header in headers)
    Path(output).write_text(
        '"""Made from nitro.h and nitro_backend.h by declarations.py."""\n\n'
        f'DECLARATIONS = """\n{text}\n"""\n',
        "utf-8",
    )


if __name__ == "__main__":
    main(sys.argv[1:])
