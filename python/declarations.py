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


def main(arguments: list[str]) -> None:
    *headers, output = arguments
    text = "\n".join(declarations(Path(header).read_text("utf-8")) for header in headers)
    Path(output).write_text(
        '"""Made from nitro.h and nitro_backend.h by declarations.py."""\n\n'
        f'DECLARATIONS = """\n{text}\n"""\n',
        "utf-8",
    )


if __name__ == "__main__":
    main(sys.argv[1:])
