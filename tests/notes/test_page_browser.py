"""The note in a real browser: the slider, links, folds, pictures; nothing is asked for, and all can use it."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexcalc.codegen.listing import code_by_equation
from indexcalc.language.read import load_problem
from indexcalc.notes import Detail, html_note
from indexcalc.notes.levels import Level, parts_of
from indexcalc.notes.svg import LEAST
from indexcalc.rewrite.derive import derive
from indexcalc.worksheet import load_values, worked
from tests.support.browser import asked, emulated, needs_axe, needs_browser, opened, started, violations

By = pytest.importorskip("selenium.webdriver.common.by").By
Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys

pytestmark = needs_browser

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("attention", "logistic_hessian", "conv2d", "two_token_model")

VISIBLE = """return [...document.querySelectorAll(arguments[0])].filter(one => one.getClientRects().length)
  .map(one => one.textContent)"""
"""The texts of what is shown."""


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    driver = started(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The notes as files, each with its derivation."""
    folder, found = tmp_path_factory.mktemp("notes"), {}
    for name in NAMES:
        derivation = derive(load_problem(ROOT / "derivations" / name / f"{name}.ixc"))
        path, numbers = folder / f"{name}.html", ROOT / "derivations" / name / "values.toml"
        example = worked(derivation, load_values(numbers, derivation.problem)) if numbers.is_file() else None
        page = html_note(derivation, example=example, code=code_by_equation(derivation))
        path.write_text(page, encoding="utf-8")
        found[name] = derivation, path.as_uri()
    return found


@pytest.fixture
def attention(driver, pages):
    """The derivation whose note the browser shows."""
    derivation, address = pages["attention"]
    opened(driver, address)
    return derivation


def slider(driver):
    return driver.find_element(By.ID, "detail")


def displays(driver):
    return len(driver.execute_script(VISIBLE, ".display"))


def formulas(derivation, level):
    """How many formulas on lines of their own stand in the parts that a level shows."""
    count = {"Display": lambda block: 1, "Displays": lambda block: len(block.items)}
    count["MatrixDisplays"] = count["Displays"]
    shown = [part.block for part in parts_of(derivation) if level in part.levels]
    return sum(count.get(type(block).__name__, lambda block: 0)(block) for block in shown)


def test_the_slider_shows_less_and_more(driver, attention):
    assert displays(driver) == formulas(attention, Level.FULL)
    said = []
    for key in (Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_RIGHT, Keys.END, Keys.HOME):
        slider(driver).send_keys(key)
        level = driver.execute_script("return document.documentElement.dataset.level")
        assert displays(driver) == formulas(attention, Level(level))
        said.append(slider(driver).get_attribute("aria-valuetext"))
        assert driver.find_element(By.CSS_SELECTOR, "output[for=detail]").text == said[-1]
    assert said == ["brief", "result only", "result only", "brief", "every delta", "result only"]


def test_the_slider_has_a_name(driver, attention):
    label = driver.find_element(By.CSS_SELECTOR, "label[for=detail]")
    assert slider(driver).accessible_name == label.text == "Detail"
    assert slider(driver).aria_role == "slider"


def test_the_headings_of_the_levels(driver, attention):
    found = {}
    for number in (2, 1, 0):
        slider(driver).send_keys(Keys.HOME, *[Keys.ARROW_RIGHT] * number)
        found[number] = driver.execute_script(VISIBLE, "h2 > span")
    assert set(found[0]) < set(found[1]) < set(found[2])
    assert "Summary" in found[2]
    assert "Cost and memory" in found[1]
    assert [text.partition(" ")[0] for text in found[0]] == ["Setup", *["The"] * 5, "Matrix"]


def test_the_reader_stays_where_they_are(driver, attention):
    """A result at the top of the window stays there, whatever comes or goes before it."""
    script = """const all = [...document.querySelectorAll('section .display')];
      const one = all.filter(one => one.querySelector('.boxed'))[3];
      one.scrollIntoView({ behavior: 'instant' });
      const bottom = document.querySelector('.bar').getBoundingClientRect().bottom;
      scrollBy({ top: one.getBoundingClientRect().top - bottom - 2, behavior: 'instant' }); window.probe = one;"""
    driver.execute_script(script)
    top = "return window.probe.getBoundingClientRect().top"
    start = driver.execute_script(top)
    assert driver.execute_script("return scrollY") > 1000
    for key in (Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT):
        slider(driver).send_keys(key)
        assert abs(driver.execute_script(top) - start) < 3


def test_a_link_shows_what_it_leads_to(driver, attention):
    slider(driver).send_keys(Keys.HOME)
    wanted = driver.execute_script(
        "return [...document.querySelectorAll('[data-levels=full] [id], h2[data-levels=full] [id]')]"
        ".find(one => one.matches('h2 *')).id"
    )
    driver.execute_script("location.hash = arguments[0]", wanted)
    shown = "const one = document.getElementById(arguments[0]); return one.getClientRects().length > 0"
    assert driver.execute_script(shown, wanted)
    assert slider(driver).get_attribute("value") == "2"


def test_a_folded_section_whose_heading_goes_is_open_again(driver, attention):
    fold = "for (const one of document.querySelectorAll('h3 > .fold, h4 > .fold')) one.click()"
    driver.execute_script(fold)
    folded = "return [...document.querySelectorAll('.folded > :is(h2, h3, h4)')]"
    assert driver.execute_script(folded)
    slider(driver).send_keys(Keys.HOME)
    assert driver.execute_script(f"{folded}.filter(one => !one.getClientRects().length)") == []
    # The forward pass is a section under a heading that results have too; it stays folded.
    assert driver.execute_script(f"{folded}.map(one => one.firstChild.textContent)") == ["Forward pass"]


def test_without_a_script_all_is_there(driver, attention, pages):
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened(driver, pages["attention"][1])
        assert not slider(driver).is_displayed()
        shown = sum(one.is_displayed() for one in driver.find_elements(By.CSS_SELECTOR, ".display"))
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert shown == formulas(attention, Level.FULL)


def test_a_collapse_is_drawn_before_and_after(driver, attention):
    """A picture of a collapse has the equals sign between what was there and what is left."""
    pictures = driver.find_elements(
        By.CSS_SELECTOR, ".drawing[data-levels=full] svg, div[data-levels=full] svg.network"
    )
    assert pictures
    for picture in pictures:
        if "This equals:" in picture.find_element(By.TAG_NAME, "desc").get_attribute("textContent"):
            assert "=" in [text.get_attribute("textContent") for text in picture.find_elements(By.TAG_NAME, "text")]
            assert picture.is_displayed()
            break
    else:
        pytest.fail("no collapse is drawn")
    slider(driver).send_keys(Keys.HOME)
    assert not any(picture.is_displayed() for picture in pictures)


def test_wires_and_plots_are_drawn_in_sight(driver, attention):
    """Each is as wide as it says, holds its texts, and has a name; the lines of one plot differ in their dashes."""
    for selector, least in (("figure svg.plot[role=img]", 6), ("figure svg.wire", 10)):
        found = driver.find_elements(By.CSS_SELECTOR, selector)
        assert len(found) >= least
        outside = """const frame = arguments[0].getBoundingClientRect();
          return [...arguments[0].querySelectorAll('text')].map(one => [one.textContent, one.getBoundingClientRect()])
            .filter(([_, box]) => box.left < frame.left - 1 || box.right > frame.right + 1
              || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
            .map(([text]) => text)"""
        for picture in found:
            assert picture.is_displayed()
            assert picture.accessible_name
            assert driver.execute_script(outside, picture) == []
    dashes = """return [...arguments[0].querySelectorAll('.line')].map(one => getComputedStyle(one).strokeDasharray)"""
    plot = driver.find_element(By.CSS_SELECTOR, "svg.plot[role=img]")
    assert len(set(driver.execute_script(dashes, plot))) == 2
    slider(driver).send_keys(Keys.HOME)
    assert not plot.is_displayed()


def test_the_numbers_of_an_example_stand_in_their_cells(driver, pages):
    opened(driver, pages["two_token_model"][1])
    outside = """return [...document.querySelectorAll('.heat rect + text')].filter(one => {
      const [text, cell] = [one, one.previousElementSibling].map(one => one.getBoundingClientRect());
      return text.left < cell.left || text.right > cell.right || text.top < cell.top || text.bottom > cell.bottom;
    }).map(one => one.textContent)"""
    assert len(driver.find_elements(By.CSS_SELECTOR, ".heat rect + text")) > 60
    assert driver.execute_script(outside) == []


def test_indices_have_one_colour_everywhere(driver, attention):
    script = """const colours = {};
      const shown = '.legend .index, .wire .name, .plot .index, .network .name, math .index';
      for (const one of document.querySelectorAll(shown)) {
        const name = [...one.classList].find(name => /^i[0-9]+$/.test(name));
        if (name) (colours[name] ||= new Set()).add(getComputedStyle(one).color);
      }
      return Object.values(colours).map(found => found.size)"""
    found = driver.execute_script(script)
    assert len(found) >= 8
    assert set(found) == {1}


def test_a_brief_note_has_two_stops(driver, tmp_path):
    path = tmp_path / "brief.html"
    derivation = derive(load_problem(ROOT / "derivations" / "linear" / "linear.ixc"))
    path.write_text(html_note(derivation, detail=Detail.BRIEF), encoding="utf-8")
    opened(driver, path.as_uri())
    assert (slider(driver).get_attribute("max"), slider(driver).get_attribute("value")) == ("1", "1")
    slider(driver).send_keys(Keys.ARROW_LEFT)
    assert slider(driver).get_attribute("aria-valuetext") == "result only"


def test_nothing_is_asked_for(driver, pages):
    driver.get("about:blank")
    asked(driver)
    driver.get_log("browser")
    for _, address in pages.values():
        opened(driver, address)
        slider(driver).send_keys(Keys.HOME, Keys.END)
    assert asked(driver) == {address for _, address in pages.values()}
    assert driver.get_log("browser") == []


@needs_axe
@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [("attention", 1200, "light"), ("logistic_hessian", 390, "dark"), ("conv2d", 390, "light")],
)
def test_all_can_use_it(driver, pages, name, width, scheme):
    driver.set_window_size(width, 900)
    emulated(driver, prefers_color_scheme=scheme)
    opened(driver, pages[name][1])
    try:
        assert violations(driver) == []
        slider(driver).send_keys(Keys.HOME)
        assert violations(driver) == []
    finally:
        driver.set_window_size(1440, 900)
        emulated(driver)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_wider_than_a_narrow_screen(driver, pages, name):
    size = {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        opened(driver, pages[name][1])
        assert driver.execute_script("return document.documentElement.scrollWidth") <= 360
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_wide_dataflow_diagram_shrinks_as_far_as_it_can_be_read(driver, pages):
    """It takes the width that there is, but no less than a part of its own; then it can be scrolled."""
    size = "return (one => [one.clientWidth, one.viewBox.baseVal.width, one.parentElement.clientWidth])(arguments[0])"
    opened(driver, pages["two_token_model"][1])
    drawings = driver.find_elements(By.CSS_SELECTOR, ".flow")
    found = set()
    try:
        for width in (320, 500, 700, 1440):
            driver.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False},
            )
            for own, natural, room in (driver.execute_script(size, one) for one in drawings):
                assert own == pytest.approx(max(min(natural, room), LEAST * natural), abs=1)
                found.add((own < natural - 1, own > room + 1))
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert {(False, False), (True, False), (True, True)} <= found


def test_a_step_folds_and_what_is_printed_is_there(driver, attention):
    button = driver.find_element(By.CSS_SELECTOR, "p > .step")
    place = "return arguments[0].parentElement.nextElementSibling.getClientRects().length"
    assert driver.execute_script(place, button) == 1
    driver.execute_script("arguments[0].click()", button)
    assert button.get_attribute("aria-expanded") == "false"
    assert driver.execute_script(place, button) == 0
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert driver.execute_script(place, button) == 1
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    driver.execute_script("arguments[0].click()", button)
    assert driver.execute_script(place, button) == 1


def test_code_stands_beside_its_equation_where_there_is_room(driver, pages):
    places = (
        "return ['.display', '.code'].map(s => document.querySelector('.coded ' + s).getBoundingClientRect().toJSON())"
    )
    for width, beside in ((1400, True), (900, False)):
        driver.set_window_size(width, 1000)
        opened(driver, pages["attention"][1])
        formula, code = driver.execute_script(places)
        assert (code["left"] >= formula["right"]) is beside
        assert (code["top"] >= formula["bottom"]) is not beside
        assert driver.execute_script("return document.querySelector('.code').open") is beside
    driver.set_window_size(1440, 900)
