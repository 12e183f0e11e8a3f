"""From Nitro's headers to calls of every function with one NULL at a time, for test_null_arguments.c.

Usage: make_null_calls.py HEADER... OUTPUT
"""

import re
import sys
from pathlib import Path

# The application's own, or optional: documented as "may be NULL" or "NULL: ...".
OWN = {"argument", "user"}
OPTIONAL = {
    "nitro_computation_add_features": {"evaluate"},  # refused, with another message
    "nitro_computation_flush_observations": {"num_samples"},
    "nitro_computation_force": {"variant"},
    "nitro_computation_monitor": {"options"},
    "nitro_computation_record_to": {"url"},
    "nitro_computation_set_problem": {"problem"},
    "nitro_context_set": {"computation"},
    "nitro_context_set_clock": {"clock"},
    "nitro_context_set_log": {"log"},
    "nitro_learn_own": {"options"},
    "nitro_model_predict": {"ranking", "scores"},
    "nitro_model_predict_with": {"options", "ranking", "scores"},
    "nitro_prepare_with": {"options"},
    "nitro_run": {"decision"},
    "nitro_run_ticket": {"decision"},
    "nitro_run_with": {"options", "decision"},
    "nitro_select_features_with": {"options"},
    "nitro_select_with": {"options"},
    "nitro_store_flush": {"waiting"},
    "nitro_store_open": {"url"},
    "nitro_store_open_journaled": {"url"},
    "nitro_computation_add_tunable": {"options"},
    "nitro_tune": {"options"},
    "nitro_tune_from_source": {"options"},
    "nitro_tuner_best": {"time_ms"},
    "nitro_tuner_create": {"options"},
    "nitro_tuner_search": {"input", "measure"},
}
# Refused by another check, whose message names the parameter.
OTHER_MESSAGE = {
    ("nitro_computation_create", "name"),
    ("nitro_computation_set_device_kind", "kind"),
    ("nitro_fail", "format"),
}
FUNCTION_TYPES = {
    "nitro_features_function": "evaluate",
    "nitro_log_function": "keep_log",
    "nitro_problem_text_function": "problem",
}


def prototypes(header: str) -> list[tuple[str, str, list[str]]]:
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.DOTALL)
    text = re.sub(r"^[ \t]*#[^\n]*(?:\\\n[^\n]*)*", "", text, flags=re.MULTILINE)
    found = re.findall(r"NITRO_API\s+([\w\s*]*?)(\w+)\(([^;]*?)\)[^;()]*(?:\([^)]*\))?;", text)
    return [
        (result.strip(), name, [] if rest.strip() == "void" else rest.split(","))
        for result, name, rest in found
    ]


def value_of(parameter: str) -> tuple[str, str, bool]:
    """Name, a valid value, and whether it is a pointer."""
    words = parameter.split("[")[0].strip()
    match = re.fullmatch(r"(.*?)(\w+)", words, flags=re.DOTALL)
    assert match, parameter
    kind, name = " ".join(match[1].split()), match[2]
    if kind in FUNCTION_TYPES:
        return name, FUNCTION_TYPES[kind], True
    if not kind.endswith("*"):
        return name, "1", False
    base = kind.replace("const ", "").strip()
    known = {
        "nitro_context *": "context",
        "nitro_computation *": "computation",
        "nitro_model *": "model",
        "nitro_store *": "store",
        "nitro_ticket *": "&ticket",
        "nitro_declaration *": "&declaration",
        "nitro_variant *": "&declaration.variants[0]",
        "char *": "text" if "const" not in kind else '"size"',
        "void *": "place",
    }
    return name, known.get(base, f"({kind})(void *)place"), True


def calls(result: str, name: str, parameters: list[str]) -> list[str]:
    if name.endswith(("_free", "_close")):
        return [f"    {name}(NULL);"]
    variadic = bool(parameters) and parameters[-1].strip() == "..."
    values = [value_of(each) for each in parameters if each.strip() != "..."]
    lines = []
    for index, (parameter, _, is_pointer) in enumerate(values):
        if not is_pointer or parameter in OWN | OPTIONAL.get(name, set()):
            continue
        given = [v if i != index else "NULL" for i, (_, v, _) in enumerate(values)]
        if variadic and parameter != "format":
            given[-1] = '"text"'
        call = f"{name}({', '.join(given)})"
        if result != "nitro_status" or name == "nitro_fail":
            lines.append(f"    (void){call};" if result != "void" else f"    {call};")
        elif (name, parameter) in OTHER_MESSAGE:
            lines.append(f'    REFUSES({call}, "(null)");')
        else:
            lines.append(f'    REFUSES({call}, "is NULL");')
    return lines


def main(arguments: list[str]) -> None:
    *headers, output = arguments
    found = [p for h in headers for p in prototypes(Path(h).read_text("utf-8"))]
    assert len(found) > 80, f"only {len(found)} functions were understood"
    lines = [line for each in found for line in calls(*each)]
    Path(output).write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
