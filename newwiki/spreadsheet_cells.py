"""Text cells of CSV files that people open: spreadsheets run a cell that begins with `=`, `+`, `-` or `@` as a formula.

Source: OWASP, "CSV Injection". A leading apostrophe makes a spreadsheet show the cell as text.
"""

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NEUTRALIZED = re.compile(r"'+[=+\-@\t\r]")


def neutralized(cell: str) -> str:
    """Return the cell with a leading apostrophe if a spreadsheet would run it as a formula.

    A cell that already begins with apostrophes before a formula gets one more, so that `restored` gives the cell back.
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def restored(cell: str) -> str:
    """Remove the apostrophe that `neutralized` added. Other cells, such as a formula or `'tis`, stay as they are."""
    return cell[1:] if _NEUTRALIZED.match(cell) else cell
