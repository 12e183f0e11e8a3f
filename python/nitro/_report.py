"""The report of the command line, with its pictures."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import List, NamedTuple, Optional

from ._library import TextOrPath


def program() -> str:
    """The nitro program: that of the wheel, else the one on PATH."""
    bundled = Path(__file__).parent / "bin" / "nitro"
    found = str(bundled) if bundled.exists() else shutil.which("nitro")
    if found is None:
        raise FileNotFoundError(
            "there is no nitro program: install nitro-tools, or a wheel that has it"
        )
    return found


class Report(NamedTuple):
    """A report on a store: `folder` has the page, index.html, and each part's numbers."""

    folder: Path

    @property
    def pictures(self) -> List[Path]:
        """The charts as SVG files."""
        return sorted(self.folder.glob("*.svg"))

    def _repr_html_(self) -> str:
        return "".join(
            f"<figure>{picture.read_text('utf-8')}<figcaption>{picture.stem}</figcaption></figure>"
            for picture in self.pictures
        )


def report(
    store: TextOrPath,
    folder: TextOrPath,
    computation: Optional[str] = None,
    *,
    quick: bool = False,
) -> Report:
    """Write a report as `nitro report` does; a notebook shows its pictures."""
    command = [program(), "report", "--quiet", "--store", str(store), "--output", str(folder)]
    command += ["--quick"] if quick else []
    command += ["--", computation] if computation else []
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return Report(Path(folder))
