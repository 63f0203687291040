"""Text from elsewhere as a terminal may show it."""

import re

# C0 and C1 control characters but line breaks and tabs, and what turns the direction of a line around
_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text with every character that a terminal would obey written as JSON writes it (`\\u001b`).

    A title or an answer of a server could otherwise recolour, overwrite or retype what stands on the screen.
    """
    return _COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
