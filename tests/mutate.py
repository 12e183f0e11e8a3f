#!/usr/bin/env python3
"""Mutation testing: changes one operator or constant of a source at a time and runs its tests.

Prints the mutants that no test kills, and the score: killed / (killed + survived). Mutants that do not
compile are not counted. The sources are restored at the end, also after Ctrl-C or SIGTERM.
"""

import argparse
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

SKIPPED = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])*'|^[ \t]*#[ \t]*(?!define)[^\n]*", re.S | re.M
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


def run(command, timeout=None):
    """Whether the command succeeds, and its output."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=timeout)
    return done.returncode == 0, done.stdout.decode(errors="replace")


def judge(mutant, build, test):
    """'killed', 'survived' or 'invalid'."""
    path, start, end, other = mutant
    original = path.read_bytes()
    text = original.decode()
    try:
        path.write_bytes((text[:start] + other + text[end:]).encode())
        if not run(build)[0]:
            return "invalid"
        return "survived" if run(test)[0] else "killed"
    finally:
        path.write_bytes(original)


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
    parser.add_argument("--build", default="build-mutate", help="configured folder, of its own (default: %(default)s)")
    parser.add_argument("--target", action="append", required=True, help="what is built; may be repeated")
    parser.add_argument("--tests", required=True, metavar="REGEX", help="the tests run, as of ctest -R")
    parser.add_argument("--sample", type=int, metavar="N", help="only N random mutants that compile")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default: %(default)s)")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("mutate.py: stopped by SIGTERM"))

    build = ["cmake", "--build", options.build, "-j2", "--target", *options.target]
    test = ["ctest", "--test-dir", options.build, "-R", options.tests, "--no-tests=error", "--stop-on-failure"]
    good, output = run(build)
    started = time.monotonic()
    if good:
        good, output = run(test)
    if not good:
        sys.exit(f"{output}\nmutate.py: the sources as they are do not pass; see above")
    test += ["--timeout", str(10 + round(10 * (time.monotonic() - started)))]

    mutants = [mutant for path in options.sources for mutant in mutants_of(path)]
    total = len(mutants)
    if options.sample is not None:
        random.Random(options.seed).shuffle(mutants)
    counts = {"killed": 0, "survived": 0, "invalid": 0}
    for mutant in mutants:
        if counts["killed"] + counts["survived"] == options.sample:
            break
        verdict = judge(mutant, build, test)
        counts[verdict] += 1
        if verdict == "survived":
            print(describe(mutant), flush=True)
    tried = counts["killed"] + counts["survived"]
    print(f"{counts['killed']} of {tried} killed ({100 * counts['killed'] / max(tried, 1):.0f} %); "
          f"{counts['invalid']} did not compile; {total} possible")  # fmt: skip


if __name__ == "__main__":
    main()
