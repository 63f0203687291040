"""The bot password that a wiki's user may lend: read from the environment, and never stored."""

import os
from dataclasses import dataclass, field
from typing import Self

from newwiki.errors import UsageError

_USER, _PASSWORD = "NEWWIKI_BOT_USER", "NEWWIKI_BOT_PASSWORD"


@dataclass(frozen=True)
class Account:
    """What Special:BotPasswords gives: `user` as Name@label, and the password to it."""

    user: str
    password: str = field(repr=False)

    @classmethod
    def from_environment(cls) -> Self | None:
        """The account, or None where none is set. Raises UsageError where a half of it is."""
        user, password = os.environ.get(_USER, ""), os.environ.get(_PASSWORD, "")
        if bool(user) != bool(password):
            raise UsageError(f"{_USER} and {_PASSWORD} belong together: set both (see Special:BotPasswords) or neither")
        return cls(user, password) if user else None
