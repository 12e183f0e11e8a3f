#!/usr/bin/env python3
"""Mutation testing: changes one operator or constant of a source at a time and runs its unit tests.

Prints the mutants that no test kills, and the score: killed / (killed + survived). Mutants that do not
compile are not counted. A mutant is compiled in a temporary folder and linked into the tests in front of
the library, so that neither sources nor build folder change.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

# Comments, texts, directives but #define; allocations and buffers, whose size only the address sanitizer sees.
SKIPPED = re.compile(
    r'/\*.*?\*/|\w*alloc\([^;]*;|\bchar \w+\[[^\]]*\]|//[^\n]*|"(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])*'|^[ \t]*#[ \t]*(?!define)[^\n]*", re.S | re.M
)
OPERATORS = {
    "<": ["<=", ">"], "<=": ["<", ">="], ">": [">=", "<"], ">=": [">", "<="], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "<<": [">>"], ">>": ["<<"],
}  # fmt: skip
# Binary operators stand between spaces, as clang-format writes them; so `*` of a pointer is none.
OPERATOR = re.compile(r"(?<=[ ])(?:%s)(?=[ \n])" % "|".join(sorted(map(re.escape, OPERATORS), key=len, reverse=True)))
NEGATION = re.compile(r"!(?=[\w(])")
NUMBER = re.compile(r"(?<![\w.])(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)[uUlLfF]*(?![\w.])")


def mutants_of(path):
    """All (path, start, end, replacement), in the order of the text."""
    text = path.read_text(encoding="utf-8")
    code = SKIPPED.sub(lambda match: re.sub(r"[^\n]", "\0", match.group()), text)
    found = []
    for match in OPERATOR.finditer(code):
        found += [(path, *match.span(), other) for other in OPERATORS[match.group()]]
    for match in NEGATION.finditer(code):
        found.append((path, *match.span(), ""))
    for match in NUMBER.finditer(code):
        number = match.group()
        others = [f"({number} * 2)"] if number.strip("0.uUlLfFxX") else []
        if re.fullmatch(r"\d+[uUlL]*", number):
            others += [f"({number} + 1)", f"({number} - 1)"]
        found += [(path, *match.span(), other) for other in others]
    return sorted(found, key=lambda mutant: mutant[1:])


LIBRARY = "../lib/libnitro_static.a"
# Tests would wait for the disk most of the time.
NO_SYNC = "int fsync(int file) { return file - file; }\nint fdatasync(int file) { return file - file; }\n"


def succeeds(command, folder, timeout=None):
    """Whether the command ends with 0 in time."""
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "NITRO_GENERATE_MB": "spmv=48,histogram=128",
                   "CMOCKA_TEST_ABORT": "1"}  # fmt: skip
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, start_new_session=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:  # fmt: skip
        try:
            return child.wait(timeout) == 0
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return False


class Bench:
    """The commands of a build, for changed copies of sources."""

    def __init__(self, build, tests, work):
        self.build, self.tests, self.work = build.resolve(), tests, work
        with open(build / "compile_commands.json", encoding="utf-8") as file:
            self.compiles = {entry["file"]: entry for entry in json.load(file)}
        self.limits = dict.fromkeys(tests)
        (work / "no_sync.c").write_text(NO_SYNC, encoding="utf-8")
        succeeds(["cc", "-c", "no_sync.c"], work)

    def compile(self, source, text):
        """Compile changed text of a source."""
        entry = self.compiles[str(source.resolve())]
        command = shlex.split(entry["command"])
        changed = self.work / source.name
        changed.write_text(text, encoding="utf-8")
        command[command.index("-o") + 1] = str(self.work / "mutant.o")
        command[command.index("-c") + 1] = str(changed)
        return succeeds([*command, "-O1"], entry["directory"])

    def passes(self, test):
        """Link the test with the mutant and run it. The first run sets its time limit."""
        folder = self.build / "tests"
        link = shlex.split((folder / f"CMakeFiles/{test}.dir/link.txt").read_text(encoding="utf-8"))
        link[link.index("-o") + 1] = str(self.work / test)
        at = link.index(LIBRARY)
        link[at:at] = [str(self.work / "mutant.o"), str(self.work / "no_sync.o")]
        if not succeeds(link, folder):
            sys.exit(f"mutate.py: cannot link {test}; build it first")
        started = time.monotonic()
        passed = succeeds([str(self.work / test)], self.work, self.limits[test])
        if self.limits[test] is None:
            self.limits[test] = 10 + round(10 * (time.monotonic() - started))
        return passed

    def judge(self, mutant):
        """'killed', 'survived' or 'invalid'."""
        path, start, end, other = mutant
        text = path.read_text(encoding="utf-8")
        if not self.compile(path, text[:start] + other + text[end:]):
            return "invalid"
        return "survived" if all(self.passes(test) for test in self.tests) else "killed"


def describe(mutant):
    path, start, end, other = mutant
    text = path.read_text(encoding="utf-8")
    line_start = text.rfind("\n", 0, start) + 1
    line = text[line_start : text.find("\n", end)]
    changed = line[: start - line_start] + other + line[end - line_start :]
    number = text.count("\n", 0, start) + 1
    return f"{path}:{number}: {line.strip()}\n    -> {changed.strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--build", default="build", type=pathlib.Path, help="a build folder (default: %(default)s)")
    parser.add_argument("--test", action="append", required=True, help="a unit test that was built; may be repeated")
    parser.add_argument("--sample", type=int, metavar="N", help="only N random mutants that compile")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        measure(options, Bench(options.build, options.test, pathlib.Path(work)))


def measure(options, bench):
    for path in options.sources:
        if not bench.compile(path, path.read_text(encoding="utf-8")) or not all(map(bench.passes, options.test)):
            sys.exit(f"mutate.py: {path} as it is does not compile, or does not pass")
    mutants = [mutant for path in options.sources for mutant in mutants_of(path)]
    total = len(mutants)
    if options.sample is not None:
        random.Random(options.seed).shuffle(mutants)
    counts = {"killed": 0, "survived": 0, "invalid": 0}
    for mutant in mutants:
        if counts["killed"] + counts["survived"] == options.sample:
            break
        verdict = bench.judge(mutant)
        counts[verdict] += 1
        if verdict == "survived":
            print(describe(mutant), flush=True)
    tried = counts["killed"] + counts["survived"]
    print(f"{counts['killed']} of {tried} killed ({100 * counts['killed'] / max(tried, 1):.0f} %); "
          f"{counts['invalid']} did not compile; {total} possible")  # fmt: skip


if __name__ == "__main__":
    main()
