"""Tables of results: lists of named tuples that notebooks show as HTML."""

from __future__ import annotations

import html
import math
from typing import Any, Iterable, List, Sequence, TypeVar

Row = TypeVar("Row", bound="tuple[Any, ...]")


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.4g}"
    return str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def html_table(titles: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """An HTML table without scripts; numbers are aligned to the right."""
    parts = ["<table>"]
    if caption:
        parts.append(f"<caption>{html.escape(caption)}</caption>")
    parts.append("<tr>" + "".join(f"<th>{html.escape(title)}</th>" for title in titles) + "</tr>")
    for row in rows:
        cells = (
            f'<td style="text-align:{"right" if _is_number(value) else "left"}">'
            f"{html.escape(_cell(value))}</td>"
            for value in row
        )
        parts.append("<tr>" + "".join(cells) + "</tr>")
    parts.append("</table>")
    return "".join(parts)


class Table(List[Row]):
    """A list of named tuples of one type; a notebook shows it as a table."""

    def _repr_html_(self) -> str:
        titles = list(getattr(self[0], "_fields", ())) if self else []
        return html_table(titles, self)
