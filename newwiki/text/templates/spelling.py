"""English numbers in words, as `{{convert|…|spell=in}}` writes them."""

_SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_GROUPS = ["", " thousand", " million", " billion", " trillion"]


def spelt(number: int, *, with_and: bool = True) -> str | None:
    """`105` is one hundred and five, without `with_and` one hundred five; None from 10^15 on."""
    if number >= 1000 ** len(_GROUPS):
        return None
    if number == 0:
        return _SMALL[0]
    words: list[str] = []
    for exponent in range(len(_GROUPS) - 1, -1, -1):
        if group := number // 1000**exponent % 1000:
            joined = "and " if with_and and words and exponent == 0 and group < 100 else ""
            words.append(f"{joined}{_hundreds(group, with_and=with_and)}{_GROUPS[exponent]}")
    return " ".join(words)


def _hundreds(number: int, *, with_and: bool) -> str:
    hundreds, rest = divmod(number, 100)
    below = _SMALL[rest] if rest < 20 else _TENS[rest // 10 - 2] + (f"-{_SMALL[rest % 10]}" if rest % 10 else "")
    if not hundreds:
        return below
    return f"{_SMALL[hundreds]} hundred" + (f"{' and' if with_and else ''} {below}" if rest else "")
