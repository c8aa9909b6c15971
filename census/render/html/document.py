"""How does a report read in a browser? One file that needs nothing else.

Method: the page of the other renderers through one jinja2 template (everything escaped), the figures as
JSON that the page's own script hands to plotly.js. A content security policy names the two scripts by their
hashes and forbids the network, so that even a word that slipped through could not run. Same censuses, same
bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from census.model.census import Census
from census.render.figures.draw import draw_figures
from census.render.figures.figure import Figure
from census.render.prose import (
    Bar,
    Bold,
    Code,
    Piece,
    Prose,
    Spark,
    kept_together,
    one_line,
    plain_text,
    sentence,
)
from census.render.sections.build import build_page

SIGNIFICANT_DIGITS = 12


def render_html(censuses: Sequence[Census]) -> str:
    """Return the report of one engine or of several as one HTML document."""
    environment = Environment(
        loader=PackageLoader("census.render"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters["line"] = line
    environment.filters["words"] = plain_text
    environment.filters["sentence"] = lambda text: line((sentence(text),))
    environment.filters["flat"] = one_line
    figures = [draw_figures(census) for census in censuses]
    plotly, script = _plotly(), _template("report.js")
    return environment.get_template("report.html.j2").render(
        engines=[
            {"page": build_page(census), "figures": drawn, "prefix": f"e{place}"}
            for place, (census, drawn) in enumerate(zip(censuses, figures, strict=True))
        ],
        style=Markup(_template("report.css")),
        plotly=Markup(plotly),
        script=Markup(script),
        policy=_policy((plotly, script)),
        specifications=Markup(_specifications(figures)),
    )


def line(pieces: Prose) -> Markup:
    """Return a line as HTML, every piece escaped."""
    return Markup("").join(_piece(piece) for piece in pieces)


def figure_specifications(censuses: Sequence[Census]) -> dict[str, Any]:
    """Return the plotly specifications of all figures by their element id, as the page holds them."""
    return _by_element([draw_figures(census) for census in censuses])


def _piece(piece: Piece) -> Markup:
    if isinstance(piece, Bar):
        return _bar(piece.share)
    if isinstance(piece, Spark):
        return Markup('<span class="spark" aria-hidden="true">{}</span>').format(piece.text)
    if isinstance(piece, Bold):
        return Markup("<strong>{}</strong>").format(_words(piece.text))
    if isinstance(piece, Code):
        return Markup("<code>{}</code>").format(one_line(piece.text))
    return escape(_words(piece))


def _words(text: str) -> str:
    return kept_together(one_line(text), glue="\u00a0")


def _bar(share: float | None) -> Markup:
    if share is None or share <= 0:
        return Markup("")
    width = f"{min(share, 1.0) * 100:.1f}%"
    return Markup('<span class="bar" aria-hidden="true"><span style="width:{}"></span></span>').format(width)


def _by_element(figures: Sequence[Mapping[str, Figure]]) -> dict[str, Any]:
    return {
        f"e{place}-figure-{picture.id}": {"data": _lean(picture.data), "layout": _lean(picture.layout)}
        for place, drawn in enumerate(figures)
        for picture in drawn.values()
    }


def _specifications(figures: Sequence[Mapping[str, Figure]]) -> str:
    text = json.dumps(_by_element(figures), separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _lean(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _lean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_lean(item) for item in value]
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}") if isinstance(value, float) else value


def _policy(scripts: tuple[str, ...]) -> str:
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    )
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:"


def _template(name: str) -> str:
    return (resources.files("census.render") / "templates" / name).read_text(encoding="utf-8")


def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())
