"""Builds the wheel (PEP 517): the package, libnitro, what it links to, and the nitro program.

Takes them from the CMake build folder that NITRO_BUILD_DIR names, else from a build of the checkout
in a temporary folder. Nothing is written into the checkout.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Dict, Optional

SOURCE = Path(__file__).resolve().parent.parent
#: Libraries of every Linux that the wheel leaves to the system.
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so")
METADATA = """\
Metadata-Version: 2.1
Name: nitro-tuning
Version: {version}
Summary: Architecture-adaptive code variant tuning
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: cffi>=1.15
"""
COMMAND = """\
import os, sys
from nitro._report import program
def main():
    os.execv(program(), ["nitro", *sys.argv[1:]])
"""


def remove_bytecode() -> None:
    """Importing this file for pip has written it beside it."""
    cached = globals().get("__cached__")
    if cached and Path(cached).exists():
        Path(cached).unlink()
        if not any(Path(cached).parent.iterdir()):
            Path(cached).parent.rmdir()


def version() -> str:
    text = (SOURCE / "CMakeLists.txt").read_text("utf-8")
    found = re.search(r"project\(nitro VERSION ([0-9.]+)", text)
    assert found
    return found[1]


def build(folder: Path) -> Path:
    """A CMake build folder with the package: the one that is given, or a new one."""
    given = os.environ.get("NITRO_BUILD_DIR")
    if given:
        return Path(given).resolve()
    options = ["-DNITRO_BUILD_TESTS=OFF", f"-DPython3_EXECUTABLE={sys.executable}"]
    subprocess.run(["cmake", "-S", SOURCE, "-B", folder, *options], check=True)
    # Without a number make compiles everything at once.
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(len(os.sched_getaffinity(0)))
    built = subprocess.run(
        ["cmake", "--build", folder, "--parallel", jobs, "--target", "nitro_wheel_parts"]
    )
    if built.returncode != 0:
        raise RuntimeError("the build failed, or has no Python package; its messages say why")
    return folder


def copy_needed(binary: Path, folder: Path) -> None:
    """The libraries that a binary itself names, but those of every Linux and of Nitro."""
    listed = subprocess.run(["ldd", binary], check=True, capture_output=True, text=True).stdout
    direct = subprocess.run(["readelf", "-d", binary], check=True, capture_output=True, text=True)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", direct.stdout)
    for name, path in re.findall(r"(\S+) => (/\S+)", listed):
        if name in needed and not SYSTEM.match(name) and not name.startswith("libnitro"):
            shutil.copy(path, folder / name)


def stage(built: Path, folder: Path) -> None:
    """The wheel's files: the package, in which the libraries and the program are installed."""
    package = folder / "nitro"
    shutil.copytree(
        built / "python" / "nitro", package, ignore=shutil.ignore_patterns("__pycache__")
    )
    install = ["cmake", "--install", str(built), "--strip", "--prefix"]
    for component in ("libraries", "plugins", "program", "models"):
        subprocess.run(
            [*install, str(package), "--component", component], check=True, stdout=subprocess.DEVNULL
        )
    installed = folder / "installed"
    subprocess.run(
        [*install, str(installed), "--component", "python"], check=True, stdout=subprocess.DEVNULL
    )
    for module in installed.rglob("_nitro.*.so"):  # with the path to what is installed beside it
        shutil.copy(module, package)
    shutil.rmtree(installed)
    for unneeded in ("share/doc", "share/man"):
        shutil.rmtree(package / unneeded, ignore_errors=True)
    (library,) = package.rglob("libnitro.so.[0-9]")
    for binary in (library, *package.rglob("highway.so")):  # stores' plug-ins use the system's
        copy_needed(binary, library.parent)
    (package / "_command.py").write_text(COMMAND, "utf-8")


def write(folder: Path, wheel: Path) -> None:
    """Zip what is staged; links become files, once."""
    entries: Dict[str, str] = {}
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            other_name_of_library = re.search(r"\.so\.[0-9]+\.", path.name)
            if path.is_dir() or other_name_of_library:
                continue
            data = path.read_bytes()
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same files, the same bytes
            info.external_attr = (path.stat().st_mode & 0o777 | 0o100000) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
            entries[name] = f"{name},sha256={digest.decode()},{len(data)}\n"
        record = f"nitro_tuning-{version()}.dist-info/RECORD"
        archive.writestr(record, "".join(entries.values()) + f"{record},,\n")


def build_wheel(
    wheel_directory: str,
    config_settings: Optional[Dict[str, Any]] = None,
    metadata_directory: Optional[str] = None,
) -> str:
    remove_bytecode()
    tag = "cp39-abi3-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    name = f"nitro_tuning-{version()}-{tag}.whl"
    with tempfile.TemporaryDirectory() as work:
        staged = Path(work) / "staged"
        about = staged / f"nitro_tuning-{version()}.dist-info"
        about.mkdir(parents=True)
        stage(build(Path(work) / "build"), staged)
        (about / "METADATA").write_text(METADATA.format(version=version()), "utf-8")
        (about / "WHEEL").write_text(
            f"Wheel-Version: 1.0\nGenerator: nitro\nRoot-Is-Purelib: false\nTag: {tag}\n", "utf-8"
        )
        (about / "entry_points.txt").write_text(
            "[console_scripts]\nnitro = nitro._command:main\n", "utf-8"
        )
        shutil.copy(SOURCE / "LICENSE", about)
        write(staged, Path(wheel_directory) / name)
    return name


if __name__ == "__main__":
    print(build_wheel(sys.argv[1]))
