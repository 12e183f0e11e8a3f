"""Builds the package with declarations made from the C headers beside it."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import declarations  # noqa: E402


class BuildWithDeclarations(build_py):
    def run(self) -> None:
        super().run()
        headers = [HERE.parent / "nitro" / name for name in ("nitro.h", "nitro_backend.h")]
        declarations.main(
            [*map(str, headers), str(Path(self.build_lib) / "nitro" / "_declarations.py")]
        )


setup(cmdclass={"build_py": BuildWithDeclarations})
