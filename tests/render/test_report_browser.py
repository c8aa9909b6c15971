"""The HTML report in a real browser: every figure drawn, nothing executed that is not ours, both themes, a
phone."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from census_factory import absent_census, full_census, hostile_census
from selenium.webdriver import Chrome
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from census.model.census import Census
from census.render.html.document import render_html

pytestmark = pytest.mark.browser

FIGURES = 7


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        if os.environ.get("CENSUS_REQUIRE_LIVE") == "1":
            pytest.fail("chromium and its driver are missing, and CENSUS_REQUIRE_LIVE=1 wants them")
        pytest.skip("chromium and its driver are not on this machine")
    options = Options()
    options.binary_location = chromium
    profile = tmp_path_factory.mktemp("profile")
    for argument in (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--no-first-run",
        "--hide-scrollbars",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = Chrome(options=options, service=Service(driver))
    try:
        yield started
    finally:
        started.quit()


def show(
    browser: Chrome, folder: Path, censuses: tuple[Census, ...], *, width: int = 1280, scheme: str = "light"
) -> float:
    """Open the report and return the seconds until every figure was drawn."""
    path = folder / "report.html"
    path.write_text(render_html(censuses), encoding="utf-8")
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    started = time.monotonic()
    browser.get(path.as_uri())
    while time.monotonic() - started < 30:
        if browser.execute_script(
            "return [...document.querySelectorAll('.plot')].every((plot) => plot.dataset.drawn === 'yes')"
        ):
            return time.monotonic() - started
        time.sleep(0.05)
    pytest.fail("the figures were not drawn in 30 s")


def console_of(browser: Chrome) -> list[str]:
    return [entry["message"] for entry in browser.get_log("browser")]


def plots_of(browser: Chrome) -> list[Any]:
    return browser.find_elements(By.CSS_SELECTOR, ".plot")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_figure_is_drawn_without_a_word_on_the_console(
    browser: Chrome, tmp_path: Path, width: int, scheme: str
) -> None:
    show(browser, tmp_path, (full_census(),), width=width, scheme=scheme)
    assert console_of(browser) == []
    assert len(plots_of(browser)) == FIGURES
    for plot in plots_of(browser):
        marks = plot.find_elements(By.CSS_SELECTOR, "svg.main-svg path")
        assert len(marks) > 3, plot.get_attribute("id")
    assert browser.execute_script("return document.documentElement.scrollWidth") == width


def test_the_figures_take_the_colours_of_the_theme(browser: Chrome, tmp_path: Path) -> None:
    colours = {}
    for scheme in ("light", "dark"):
        show(browser, tmp_path, (full_census(),), scheme=scheme)
        colours[scheme] = browser.execute_script(
            "return document.getElementById('e0-figure-ladder')._fullLayout.font.color"
        )
    assert colours == {"light": "#1b1f24", "dark": "#e6e9ec"}


def test_a_change_of_the_theme_repaints_the_figures(browser: Chrome, tmp_path: Path) -> None:
    show(browser, tmp_path, (full_census(),), scheme="light")
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    time.sleep(1.0)
    script = "return document.getElementById('e0-figure-steps')._fullLayout.font.color"
    assert browser.execute_script(script) == "#e6e9ec"


def test_hostile_words_do_not_run_and_do_not_break_the_page(browser: Chrome, tmp_path: Path) -> None:
    show(browser, tmp_path, (hostile_census(),))
    assert browser.execute_script("return window.pwned") is None
    assert console_of(browser) == []
    assert "<script>window.pwned=1</script>" in browser.find_element(By.TAG_NAME, "h1").text
    assert browser.find_elements(By.CSS_SELECTOR, "main img") == []


def test_the_policy_stops_a_script_that_is_not_ours(browser: Chrome, tmp_path: Path) -> None:
    show(browser, tmp_path, (full_census(),))
    browser.execute_script(
        "const s = document.createElement('div');"
        "s.innerHTML = '<img src=x onerror=\"window.pwned=1\">';"
        "document.body.append(s);"
    )
    time.sleep(0.3)
    assert browser.execute_script("return window.pwned") is None
    assert any("Content Security Policy" in message for message in console_of(browser))


def test_several_engines_are_drawn_each_with_its_own_figures(browser: Chrome, tmp_path: Path) -> None:
    show(browser, tmp_path, (full_census(), absent_census(), full_census()))
    assert console_of(browser) == []
    drawn = [str(plot.get_attribute("id"))[:2] for plot in plots_of(browser)]
    assert drawn == ["e0"] * FIGURES + ["e2"] * FIGURES
    assert len(browser.find_elements(By.TAG_NAME, "article")) == 3


def test_a_pointer_over_a_figure_tells_the_number(browser: Chrome, tmp_path: Path) -> None:
    show(browser, tmp_path, (full_census(),))
    plot = browser.find_element(By.ID, "e0-figure-steps")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", plot)
    browser.execute_script("Plotly.Fx.hover('e0-figure-steps', [{curveNumber: 0, pointNumber: 0}])")
    assert "15.50 ms [15.44, 15.56]" in plot.find_element(By.CSS_SELECTOR, ".hoverlayer").text


def test_keys_zoom_the_figure_that_has_the_focus(browser: Chrome, tmp_path: Path) -> None:
    show(browser, tmp_path, (full_census(),))
    plot = browser.find_element(By.ID, "e0-figure-timeline")
    browser.execute_script("arguments[0].focus()", plot)
    span = "const r = arguments[0]._fullLayout.xaxis; return r.r2l(r.range[1]) - r.r2l(r.range[0])"
    whole = browser.execute_script(span, plot)
    ActionChains(browser).send_keys("+").perform()
    time.sleep(0.5)
    assert browser.execute_script(span, plot) == pytest.approx(whole / 2)
    ActionChains(browser).send_keys("0").perform()
    time.sleep(0.5)
    assert browser.execute_script(span, plot) == pytest.approx(whole)


def test_the_first_tab_reaches_the_way_to_the_report(browser: Chrome, tmp_path: Path) -> None:
    show(browser, tmp_path, (full_census(),))
    ActionChains(browser).send_keys(Keys.TAB).perform()
    assert browser.switch_to.active_element.get_attribute("class") == "skip"


def test_paper_gets_the_light_colours_and_no_figure_is_cut(browser: Chrome, tmp_path: Path) -> None:
    show(browser, tmp_path, (full_census(),), scheme="dark")
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    time.sleep(1.0)
    colour = "return document.getElementById('e0-figure-steps')._fullLayout.font.color"
    assert browser.execute_script(colour) == "#1b1f24"
    browser.execute_script("window.dispatchEvent(new Event('afterprint'))")
    time.sleep(1.0)
    assert browser.execute_script(colour) == "#e6e9ec"
