"""How large figures are drawn."""

import re

ON_A_PHONE = 477  # pixels that a page of 390 shows whole, where texts have three quarters of their size (report.css)


def drawn_width(image: str) -> float:
    """The width that the texts of a figure are sized for, in pixels."""
    found = re.search(r"--drawn:([\d.]+)px", image)
    assert found
    return float(found[1])
