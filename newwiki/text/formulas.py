"""Formulas that are plain numbers; all other mathematics is no prose."""

import re

_SIGNS = {
    r"\times": "×", r"\cdot": "⋅", r"\pm": "±", r"\approx": "≈", r"\sim": "~", r"\%": "%", r"\,": "", r"\;": " ",
    r"\ ": " ", r"\!": "", "{,}": ",", "-": "−",
}  # fmt: skip
_FRACTION = re.compile(r"(?<!\d)\\[dt]?frac\{(\d+)\}\{(\d+)\}")
_POWER = re.compile(r"\^(?:\{(-?\d+)\}|(\d))")
_PLAIN = re.compile(r"[±≈~−+]?\s*\d[\d,.]*(?:⁄\d+)?(?:\^−?\d+)?(?:\s*[×⋅±]\s*\d[\d,.]*(?:\^−?\d+)?)*\s*%?")


def plain_number(formula: str) -> str | None:
    """`3 \\times 10^{8}` is 3×10^8; None where a formula is more than a number."""
    text = _POWER.sub(lambda power: f"^{power[1] or power[2]}", _FRACTION.sub(r"\1⁄\2", formula.strip()))
    for written, sign in _SIGNS.items():
        text = text.replace(written, sign)
    text = re.sub(r"\s*([×⋅])\s*", r"\1", text).strip()
    return text if _PLAIN.fullmatch(text) else None
