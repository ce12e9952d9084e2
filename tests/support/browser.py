"""A real browser without a window, and what axe-core finds in it; tests skip where these are not installed."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

webdriver = pytest.importorskip("selenium.webdriver")
Wait = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
AXE = find_spec("axe_selenium_python")

needs_browser = pytest.mark.skipif(
    BROWSER is None or DRIVER is None, reason="Chromium and its driver are not installed"
)
needs_axe = pytest.mark.skipif(AXE is None, reason="axe-selenium-python, which brings axe-core, is not installed")


def started(profile: Path):
    """A browser with a profile of its own, which logs what it asks for."""
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1440,900"):
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    # The longest note takes axe-core half a minute where the machine is busy.
    driver.set_script_timeout(180)
    return driver


def opened(driver, address):
    """Show a page, afresh where it is shown already, and wait until all of it is there.

    Where the machine is busy, the driver may answer while the page before is still the one that is asked.
    """
    driver.get("about:blank")
    driver.get(address)
    there = "return location.href === arguments[0] && document.readyState === 'complete'"
    Wait(driver, 60).until(lambda driver: driver.execute_script(there, address))


def emulated(driver, **features):
    """Let the browser prefer something, as prefers_color_scheme="dark"."""
    listed = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": listed})


def asked(driver):
    """The addresses that were asked for since the last call."""
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return {one["params"]["request"]["url"] for one in events if one["method"] == "Network.requestWillBeSent"}


def violations(driver, *excluded):
    """What axe-core finds on the page, outside some elements."""
    source = next(Path(AXE.submodule_search_locations[0]).rglob("axe.min.js")).read_text(encoding="utf-8")
    driver.execute_script(source)
    found = driver.execute_async_script(
        "const [excluded, done] = arguments;"
        "axe.run({ include: [['html']], exclude: excluded.map(one => [one]) }, { resultTypes: ['violations'] })"
        ".then(found => done(found.violations)).catch(error => done(String(error)))",
        excluded,
    )
    return found if isinstance(found, str) else [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]
