"""Draw docs/images/note.png: a section of the page on attention, in a browser, the pointer at one Kronecker delta.

Run it with ``python docs/images/note.py``; it needs Chromium with its driver, Selenium and Pillow. The page is the one
that `indexcalc derive attention --detail brief` writes, without its tensor diagrams. The picture holds the section's
source, so that a test can tell when the page has moved on.
"""

from __future__ import annotations

import base64
import io
import tempfile
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver

import indexcalc as ic
from indexcalc.notes import Detail

HERE = Path(__file__).parent
WIDTH, SCALE = 720, 2
COLOURS = 128

SECTION = """
const sections = [...document.querySelectorAll('main section')];
return sections.find(one => one.querySelector('h2')?.textContent.includes('V'));
"""
"""The section of the gradient by V."""

LOOK = """
const others = document.querySelectorAll('.bar, .keys, .fold, .drawing, section details');
for (const one of others) one.style.display = 'none';
document.querySelector('main').style.padding = 0;
arguments[0].style.padding = '0 1rem 1rem';
arguments[0].querySelector('h2').style = 'border: 0; margin: 0';
"""
"""What is around the section goes, and so do the tensor diagrams in it: the picture is about formulas."""

PLACE = "const b = arguments[0].getBoundingClientRect(); return [b.x, b.y + scrollY, b.width, b.height]"


def page() -> str:
    """The page on attention."""
    derivation = ic.derive(ic.load_problem(ic.find_spec("attention")))
    return ic.html_note(derivation, detail=Detail.BRIEF)


def section(html: str) -> str:
    """The source of the section of the gradient by V, up to the next one."""
    start = html.index("<section aria-labelledby", html.index("Dataflow"))
    return html[start : html.index("<h2", html.index("<h2", start) + 1)]


def picture(driver: WebDriver, html: str) -> Image.Image:
    """The section with the pointer at the delta that collapses its sum."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "note.html")
        path.write_text(html, encoding="utf-8")
        driver.get(path.as_uri())
        wanted = driver.execute_script(SECTION)
        driver.execute_script(LOOK, wanted)
        delta = wanted.find_elements(By.CSS_SELECTOR, ".collapses")[-1]
        ActionChains(driver).move_to_element(delta).perform()
        x, y, width, height = driver.execute_script(PLACE, wanted)
        clip = {"x": x, "y": y, "width": width, "height": height, "scale": SCALE}
        shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
    return Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")


def started() -> WebDriver:
    """A browser without a window."""
    options = webdriver.ChromeOptions()
    for option in ("--headless=new", "--no-sandbox", f"--window-size={WIDTH},1600", "--hide-scrollbars"):
        options.add_argument(option)
    return webdriver.Chrome(options=options)


if __name__ == "__main__":
    html = page()
    browser = started()
    try:
        drawn = picture(browser, html)
    finally:
        browser.quit()
    source = PngInfo()
    source.add_itxt("Source", section(html))
    drawn.quantize(COLOURS).save(HERE / "note.png", optimize=True, pnginfo=source)
