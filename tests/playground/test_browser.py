"""The page in a real browser: typing, mistakes, verdicts, keys, links; nothing leaves the machine, all can use it."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.playground.support import SMALL, WRONG_NOTE
from tests.support.browser import asked, emulated, needs_axe, needs_browser, started, violations
from tests.support.pages import ROOT

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
By = pytest.importorskip("selenium.webdriver.common.by").By
Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
Select = pytest.importorskip("selenium.webdriver.support.select").Select
WebDriverWait = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait

pytestmark = [needs_browser, pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")]

PATIENCE = 60
"""The most seconds to wait for what the page should show."""

FOCUSED = "return [...document.querySelectorAll('.display')].indexOf(document.activeElement)"
"""The number of the formula that has the focus."""

LAYERS = """const box = document.querySelector('#spec-editor');
return [box.querySelector('pre').textContent, box.querySelector('textarea').value]"""
"""The text that is coloured, and the text that is typed."""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The server as the command starts it."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    server = subprocess.Popen(
        [sys.executable, "-u", "-m", "indexcalc", "serve", "--no-open", "--port", "0"],
        cwd=tmp_path_factory.mktemp("here"),
        env={**environment, "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        text=True,
    )
    with server:
        yield re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())[0]
        server.terminate()


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    driver = started(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


class Page:
    """The page as its reader meets it."""

    def __init__(self, driver, address):
        self.driver = driver
        self.address = address

    def open(self, fragment=""):
        self.driver.get("about:blank")
        self.driver.get(self.address + fragment)
        self.until(lambda: self.all("html[data-ready]"))
        return self

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.one(selector).text

    def until(self, condition):
        return WebDriverWait(self.driver, PATIENCE, poll_frequency=0.05, ignored_exceptions=(Exception,)).until(
            lambda _: condition()
        )

    def write(self, selector, text):
        """Put a text in place of what is there, and let the last character be typed."""
        area = self.one(selector)
        self.driver.execute_script("arguments[0].value = arguments[1]", area, text[:-1])
        area.send_keys(Keys.CONTROL, Keys.END)
        area.send_keys(text[-1])

    def in_note(self, script, *arguments):
        """What a script says of the note that is shown."""
        return self.driver.execute_script(
            "const frame = document.querySelector('#note iframe.shown');"
            f"return frame && ((note, inner) => {{ {script} }})(frame.contentDocument, frame.contentWindow)",
            *arguments,
        )

    def note_title(self):
        return self.in_note("return note.querySelector('h1').textContent")


@pytest.fixture
def page(driver, address):
    return Page(driver, address)


def test_a_spec_that_is_typed_becomes_a_note_and_all_else(page):
    page.open()
    page.until(lambda: page.note_title() == "Scaled dot-product attention")
    page.write("#spec", 'title "Matrix times vector"\n' + SMALL)
    page.until(lambda: page.note_title() == "Matrix times vector")
    page.until(lambda: "all in" in page.text("#state"))
    page.one("#tab-code").click()
    assert "dx = " in page.text("#code pre")
    page.one("#tab-cost").click()
    assert "both passes" in page.text("#pane-cost")
    page.one("#tab-checked").click()
    assert "2 gradients" in page.text("#pane-checked")
    assert page.text("#tab-checked") == "Check ✓"


def test_a_worksheet_follows_the_spec_and_the_numbers(page):
    page.open()
    page.write("#spec", SMALL)
    page.until(lambda: "all in" in page.text("#state"))
    page.one("#tab-worksheet").click()
    sheet = lambda: page.driver.execute_script("return document.getElementById('sheet').textContent")  # noqa: E731
    numbers = lambda: page.driver.execute_script("return document.getElementById('values').value")  # noqa: E731
    assert "3 Backward pass" in sheet()
    drawn = numbers()
    assert drawn.startswith("[inputs]")
    page.write("#values", "[inputs]\nW = [[1, 2]]\nx = [3, 4]\n[upstream]\nG = [5]")
    page.until(lambda: "1 × 3 + 2 × 4 = 11" in sheet())
    page.write("#values", "[inputs]\nW = [[1, 2]]\n")
    page.until(lambda: "x is missing" in page.text("#values-mistake"))
    page.one("#draw").click()
    page.until(lambda: numbers() == drawn and "3 Backward pass" in sheet())


def test_the_detail_of_the_note_stays_as_one_types(page):
    level = "return [note.getElementById('detail').value, note.documentElement.dataset.level]"
    page.open()
    page.write("#spec", SMALL)
    page.until(lambda: "all in" in page.text("#state"))
    assert page.in_note(level) == ["2", "full"]
    page.in_note("const d = note.getElementById('detail'); d.value = 0; d.dispatchEvent(new Event('input'))")
    assert page.in_note(level) == ["0", "result"]
    page.write("#spec", 'title "Again"\n' + SMALL)
    page.until(lambda: page.note_title() == "Again")
    assert page.in_note(level) == ["0", "result"]


def test_a_mistake_is_marked_where_it_is_and_the_note_stays(page):
    page.open()
    page.write("#spec", SMALL)
    page.until(lambda: "all in" in page.text("#state"))
    page.write("#spec", SMALL.replace("W[i,j] * x", "W[i,q] * x"))
    page.until(lambda: "index q" in page.text("#mistake"))
    assert [one.get_attribute("textContent") for one in page.all("#spec-editor .bad")] == ["q"]
    assert page.one("#spec").get_attribute("aria-invalid") == "true"
    assert page.note_title()
    page.one("#mistake button").click()
    chosen = "const a = document.querySelector('#spec'); return a.value.slice(a.selectionStart, a.selectionEnd)"
    assert page.driver.execute_script(chosen) == "q"
    page.one("#spec").send_keys("j")
    page.until(lambda: not page.text("#mistake"))
    assert not page.all("#spec-editor .bad")


def test_the_colours_lie_under_the_letters(page):
    page.open()
    painted, typed = page.driver.execute_script(LAYERS)
    assert painted == typed + "\n"
    page.write("#spec", '# a comment with "quotes"\ntitle "half a string\n' + "é𝒙 = dL/dx\n")
    painted, typed = page.driver.execute_script(LAYERS)
    assert painted == typed + "\n"


def test_words_and_names_are_completed(page):
    page.open()
    page.write("#spec", SMALL + "weights_of_all = 1\nde")
    page.until(lambda: page.all("#words [role=option]"))
    assert page.all("#words [role=option]")[0].text.split() == ["derive", "statement"]
    page.one("#spec").send_keys(Keys.TAB)
    assert page.one("#spec").get_attribute("value").endswith("\nderive")
    page.one("#spec").send_keys(" wei")
    page.until(lambda: "weights_of_all" in page.text("#words"))
    page.one("#spec").send_keys(Keys.ESCAPE)
    assert not page.one("#words").is_displayed()


def test_keys_step_through_the_note_and_links_lead_inside_it(page):
    page.open()
    page.until(page.note_title)
    page.driver.switch_to.frame(page.one("#note iframe.shown"))
    page.one("h1").click()
    steps = []
    for key in "nnp":
        page.one("body").send_keys(key)
        steps.append(page.driver.execute_script(FOCUSED))
    page.driver.switch_to.default_content()
    assert steps == [0, 1, 0]
    frames = len(page.all("iframe"))
    page.in_note("note.querySelector('a').dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))")
    assert page.in_note("return inner.scrollY") > 0
    assert len(page.all("iframe")) == frames


def test_the_place_in_the_note_is_kept_while_one_types(page):
    page.open()
    page.until(page.note_title)
    page.in_note("inner.scrollTo(0, 900)")
    text = page.one("#spec").get_attribute("value").replace('"queries"', '"questions"')
    page.write("#spec", text)
    page.until(lambda: "questions" in page.in_note("return note.body.textContent"))
    assert page.in_note("return inner.scrollY") == 900


def test_a_link_carries_the_spec(page):
    page.open()
    text = 'title "Carried, 𝒙 and é"\n' + SMALL
    page.write("#spec", text)
    page.until(lambda: page.note_title() == "Carried, 𝒙 and é")
    page.until(lambda: "#spec=" in page.driver.current_url)
    page.until(lambda: page.note_title() == "Carried, 𝒙 and é" and "all in" in page.text("#state"))
    fragment = page.driver.current_url.partition("/#")[2]
    page.open(f"#{fragment}")
    page.until(lambda: page.note_title() == "Carried, 𝒙 and é")
    assert page.one("#spec").get_attribute("value") == text


def test_an_example_is_opened(page):
    page.open()
    Select(page.one("#example")).select_by_value("softmax")
    page.until(lambda: "oftmax" in page.note_title())


def test_a_wrong_document_shows_its_line_and_correction(page):
    page.open("#check")
    page.write("#document", WRONG_NOTE)
    page.until(lambda: page.all("#marked [data-claim].wrong"))
    (wrong,) = page.all("#marked [data-claim].wrong")
    assert wrong.tag_name == "mrow"
    assert r"\partial y_j" in wrong.get_attribute("aria-label")
    assert "Line 3" in page.text("#said h2")
    assert r"\partial y_{i}" in page.text("#said .correct")
    page.write("#document", WRONG_NOTE.replace(r"\partial y_j", r"\partial y_i"))
    page.until(lambda: page.all("#marked [data-claim].true") and not page.all("#marked [data-claim].wrong"))


def test_a_document_is_shown_as_it_reads_and_as_its_source(page):
    page.open("#check")
    page.write("#document", "# A title\n\n" + WRONG_NOTE)
    page.until(lambda: page.all("#marked h1"))
    assert len(page.all("#marked math")) == 2
    page.one("#as-source").click()
    page.until(lambda: "# A title" in page.text("#marked"))
    assert not page.all("#marked math")
    (wrong,) = page.all("#marked [data-claim].wrong")
    assert r"\partial y_j" in wrong.text
    assert wrong.get_attribute("aria-pressed") == "true"


def test_keys_choose_a_relation(page):
    page.open("#check")
    page.write("#document", WRONG_NOTE)
    page.until(lambda: "Line 3" in page.text("#said h2"))
    page.one("#marked [data-claim='0']").send_keys(Keys.ENTER)
    page.until(lambda: "Line 1" in page.text("#said h2"))
    page.one("#marked [data-claim].wrong").send_keys(Keys.SPACE)
    page.until(lambda: "Line 3" in page.text("#said h2"))


def test_a_click_answers_an_open_choice(page):
    page.open("#check")
    page.write("#document", WRONG_NOTE)
    page.until(lambda: page.all("#said li button"))
    answer = page.one("#said li button")
    said = answer.text
    answer.click()
    page.until(lambda: said in page.one("#context").get_attribute("value"))
    page.until(lambda: said not in [one.text for one in page.all("#said li button")])
    assert not page.text("#check-mistake")


def test_no_request_leaves_the_machine(page):
    page.driver.get_log("performance")
    page.open()
    page.until(lambda: "all in" in page.text("#state"))
    page.open("#check")
    page.write(
        "#document", WRONG_NOTE + "\n![x](http://elsewhere.example/x.png) <img src='http://elsewhere.example/y.png'>\n"
    )
    page.until(lambda: page.all("#marked [data-claim].wrong"))
    addresses = asked(page.driver)
    assert page.address in {url.partition("#")[0] for url in addresses}
    assert not [url for url in addresses if not url.startswith((page.address, "about:", "data:", "blob:"))]


def test_the_browser_has_nothing_to_complain_of(page):
    page.driver.get_log("browser")
    page.open()
    page.until(lambda: "all in" in page.text("#state"))
    assert page.driver.get_log("browser") == []


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("room", ["derive", "check"])
def test_all_can_use_it(page, room, scheme):
    emulated(page.driver, prefers_color_scheme=scheme)
    page.open(f"#{room}")
    if room == "check":
        page.write("#document", WRONG_NOTE)
        page.until(lambda: page.all("#said .correct"))
        assert violations(page.driver, "iframe") == []
        return
    page.until(lambda: "all in" in page.text("#state"))
    for tab in ("note", "code", "cost", "worksheet", "checked"):
        page.one(f"#tab-{tab}").click()
        assert violations(page.driver, "iframe") == []
    page.write("#spec", SMALL + "de")
    page.until(lambda: page.text("#mistake"))
    assert violations(page.driver, "iframe") == []
