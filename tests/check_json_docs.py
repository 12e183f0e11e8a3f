"""Compares the keys and types that docs/cli-json.md documents with what the commands print.

Usage: check_json_docs.py PAGE, in an empty folder, with nitro on PATH. Runs the console commands of the
page in order; the output of those with --json must have every key of its section's table that is not
marked optional, and no other. A key is a path: `[]` stands for the items of an array, a word in capitals
for any name. What is below an "open" object is not compared.
"""

import json
import re
import subprocess
import sys

TYPES = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}


def walk(value, path, found):
    """Collects the types printed at each path."""
    name = "null" if value is None else TYPES[type(value)]
    if path:
        found.setdefault(path, set()).add(name)
    if isinstance(value, dict):
        for key, item in value.items():
            walk(item, path + (key,), found)
    elif isinstance(value, list):
        for item in value:
            walk(item, path + ("[]",), found)


def parse_path(text):
    return tuple(part for part in re.split(r"\.|(\[\])", text) if part)


def is_name(part):
    return re.fullmatch("[A-Z]+", part) is not None


def matches(documented, printed):
    return len(documented) == len(printed) and all(
        d == p or (is_name(d) and p != "[]") for d, p in zip(documented, printed))


def is_below(documented, printed):
    return len(printed) > len(documented) and matches(documented, printed[:len(documented)])


def is_implied(path, types, keys):
    """Objects and arrays need no row where something in them has one; "array of" says what is in it."""
    if any(len(key) > len(path) and matches(key[:len(path)], path) for key in keys):
        return types <= {"object", "array", "null"}
    return any("open" in words and is_below(key, path)
               or "array of" in words and path[-1] == "[]" and matches(key, path[:-1])
               and types <= {words.split("array of ")[1].split(",")[0].split()[0].rstrip("s"), "integer"}
               for key, words in keys.items())


def sections(page):
    """Yields (heading, commands, {path: type words}, example) of each section."""
    for text in re.split(r"^## ", page, flags=re.M)[1:]:
        commands = []
        for block in re.findall(r"^```console\n(.*?)^```$", text, flags=re.M | re.S):
            commands += re.findall(r"^\$ ((?:.*\\\n)*.*)$", block, flags=re.M)
        keys = {parse_path(key): words for key, words in
                re.findall(r"^\| `([^`]+)` \| ([^|]*?) \|", text, flags=re.M)}
        examples = re.findall(r"^```json\n(.*?)^```$", text, flags=re.M | re.S)
        yield text.split("\n")[0], commands, keys, examples


def problems(keys, found, is_example):
    """Says in what the documented keys and those found differ."""
    seen = set()
    for path, types in found.items():
        documented = [key for key in keys if matches(key, path)]
        if not documented and is_implied(path, types, keys):
            continue
        where = ".".join(path).replace(".[]", "[]")
        if not documented:
            yield f"{where} ({', '.join(sorted(types))}) is not documented"
            continue
        key = min(documented, key=lambda key: sum(map(is_name, key)))
        seen.add(key)
        words = set(re.findall(r"[a-z]+", keys[key]))
        if "number" in words:
            words.add("integer")
        for wrong in sorted(types - words):
            yield f"{where} is of type {wrong}, documented as {keys[key]}"
    for key, words in keys.items():
        if not is_example and key not in seen and "optional" not in words:
            yield ".".join(key).replace(".[]", "[]") + " is documented, but was not printed"


def main():
    failed = False
    count = 0
    for heading, commands, keys, examples in sections(open(sys.argv[1], encoding="utf-8").read()):
        found = {}
        for command in commands:
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"{heading}: {command}\n{done.stderr}exit code {done.returncode}")
            if "--json" in command:
                walk(json.loads(done.stdout), (), found)
                count += 1
        wrong = list(problems(keys, found, False)) if found else []
        for example in examples:
            shown = {}
            walk(json.loads(example), (), shown)
            wrong += ["example: " + problem for problem in problems(keys, shown, True)]
        for problem in wrong:
            failed = True
            print(f"docs/cli-json.md: {heading}: {problem}", file=sys.stderr)
    if failed:
        sys.exit(1)
    print(f"docs/cli-json.md: {count} outputs are as documented")


if __name__ == "__main__":
    main()
