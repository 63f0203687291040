"""The picture of a report that README.md shows: `make picture` takes it of the demonstration's.

python docs/picture.py REPORT.html PICTURE.png
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

report, picture = map(Path, sys.argv[1:])
with sync_playwright() as playwright:
    # Chromium's own sandbox cannot start as root or in a container.
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1440, "height": 1150})
    page.goto(report.resolve().as_uri())
    page.screenshot(path=picture)
    browser.close()
