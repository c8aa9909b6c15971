"""The HTML report: one file, every word escaped, figures that plotly accepts, the same bytes."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from census_factory import absent_census, full_census, hostile_census, several_engines

from census.model.census import Census
from census.render.figures.arrivals import points_of
from census.render.figures.draw import draw_figures
from census.render.html.document import figure_specifications, line, render_html
from census.render.prose import Bar, Bold, Code, Spark

FIGURES = {"steps", "decode", "lag", "attribution", "arrivals", "ladder", "timeline"}


class Tags(HTMLParser):
    """Collects tags with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def tags_of(page: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(page)
    return parser.seen


def without_plotly(page: str) -> str:
    return re.sub(r"<script>.*?</script>", "<script></script>", page, flags=re.DOTALL)


@pytest.fixture(scope="module")
def full_page() -> str:
    return render_html((full_census(),))


@pytest.fixture(scope="module")
def hostile_page() -> str:
    return render_html((hostile_census(),))


def test_the_same_census_gives_the_same_bytes(full_page: str) -> None:
    assert render_html((full_census(),)) == full_page


def test_the_page_is_one_file_that_loads_nothing_and_stays_small(full_page: str) -> None:
    assert len(full_page.encode()) < 6_000_000
    for tag, attributes in tags_of(full_page):
        assert tag not in {"link", "iframe", "object", "embed", "img", "base", "form"}
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    assert "url(" not in without_plotly(full_page)
    assert "@import" not in without_plotly(full_page)


def test_every_figure_stands_in_the_page_with_words_for_it(full_page: str) -> None:
    plots = [attributes for tag, attributes in tags_of(full_page) if attributes.get("class") == "plot"]
    assert {plot["id"] for plot in plots} == {f"e0-figure-{name}" for name in FIGURES}
    for plot in plots:
        assert len(plot["aria-label"] or "") > 20
        assert plot["tabindex"] == "0"
        assert plot["role"] == "img"


def test_ids_are_unique_even_with_several_engines() -> None:
    ids = [
        attributes["id"] for _, attributes in tags_of(render_html(several_engines())) if "id" in attributes
    ]
    assert [name for name, times in Counter(ids).items() if times > 1] == []


def test_every_link_of_the_page_has_its_goal(full_page: str) -> None:
    tags = tags_of(full_page)
    ids = {attributes["id"] for _, attributes in tags if "id" in attributes}
    goals = {(attributes["href"] or "")[1:] for tag, attributes in tags if tag == "a"}
    assert goals <= ids


def test_hostile_words_add_no_tag_and_no_attribute(full_page: str, hostile_page: str) -> None:
    scripts = [tag for tag, _ in tags_of(hostile_page) if tag == "script"]
    assert len(scripts) == 3
    known = {(tag, name) for tag, attributes in tags_of(full_page) for name in (*attributes, "")}
    found = {(tag, name) for tag, attributes in tags_of(hostile_page) for name in (*attributes, "")}
    assert found <= known
    assert "<img" not in without_plotly(hostile_page)
    assert "&lt;script&gt;window.pwned=1&lt;/script&gt;" in hostile_page


def test_the_policy_names_the_two_scripts_and_forbids_the_network(full_page: str) -> None:
    policy = next(
        attributes["content"] for tag, attributes in tags_of(full_page) if attributes.get("http-equiv")
    )
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert policy.count("sha256-") == 2
    assert "unsafe-inline" not in policy.split("style-src")[0]


def test_specifications_inside_the_page_are_the_figures_own(full_page: str) -> None:
    text = re.search(r'id="specifications">(.*?)</script>', full_page, flags=re.DOTALL)
    assert text is not None
    assert json.loads(text[1]) == json.loads(json.dumps(figure_specifications((full_census(),))))
    assert "<" not in text[1]


@pytest.mark.parametrize(
    ("census", "drawn"),
    [(full_census(), FIGURES), (absent_census(), set()), (hostile_census(), FIGURES)],
    ids=["full", "absent", "hostile"],
)
def test_what_is_absent_is_not_drawn(census: Census, drawn: set[str]) -> None:
    assert {picture.id for picture in draw_figures(census).values()} == drawn


def test_every_colour_of_the_figures_has_a_value_in_both_themes(full_page: str) -> None:
    style = re.search(r"<style>(.*?)</style>", full_page, flags=re.DOTALL)
    assert style is not None
    light, dark = style[1].split("@media (prefers-color-scheme: dark)")
    used = set(re.findall(r"var\((--[a-z0-9-]+)\)", json.dumps(figure_specifications((full_census(),)))))
    assert used
    for name in used:
        assert f"{name}:" in light
        assert f"{name}:" in dark


def test_the_attribution_bar_sums_to_the_whole_loss() -> None:
    picture = draw_figures(full_census())["attribution"]
    assert sum(trace["x"][0] for trace in picture.data) == pytest.approx(1.0)


def test_an_open_quantile_gives_the_arrival_curve_no_point() -> None:
    finding = full_census().findings.arrival_wait
    curve = points_of(finding.rows[-1])  # type: ignore[union-attr]
    assert [point.told for point in curve][:2] == ["71.7 % over 1 s", "p50 1.9 s"]
    assert not any("p99" in point.told for point in curve)


def test_a_number_and_its_unit_stay_on_one_line() -> None:
    assert (
        line(("takes 15.5 ms [15.4, 15.6] of 12 h",)) == "takes 15.5\u00a0ms [15.4,\u00a015.6] of 12\u00a0h"
    )


def test_pieces_become_elements_and_are_escaped() -> None:
    pieces = (Bold("<b>"), Code("a&b"), Bar(0.5), Bar(None), Spark("▁█"), '"x"')
    assert line(pieces) == (
        "<strong>&lt;b&gt;</strong><code>a&amp;b</code>"
        '<span class="bar" aria-hidden="true"><span style="width:50.0%"></span></span>'
        '<span class="spark" aria-hidden="true">▁█</span>&#34;x&#34;'
    )
