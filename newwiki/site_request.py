"""What a user may ask of a site (see `newwiki.request`)."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from newwiki.errors import UsageError
from newwiki.fields import asked
from newwiki.request import Request


@dataclass(frozen=True, kw_only=True)
class SiteRequest(Request):
    """What a site is made of, whose bundles are taken in, and what it is called."""

    sources: tuple[str, ...] = asked(
        (),
        "A database, a shared folder, a bundle or a folder of bundles (the database).",
        argument=True,
        metavar="SOURCE",
    )
    key: tuple[Path, ...] = asked(
        (), "Take no bundle of other keys than this: a FILE.pub, or a folder of them (may be repeated).", metavar="FILE"
    )
    recompute: bool = asked(
        True, "Compute the scores of bundles again, as `newwiki check` does; scores that are not are shown as claimed."
    )
    receipt: tuple[Path, ...] = asked(
        (),
        "Receipt of `newwiki check` for one of the bundles, beside those that lie among them (may be repeated).",
        metavar="FILE",
    )
    checker: tuple[Path, ...] = asked(
        (),
        "Public key of a checker whose receipts count: a FILE.pub, or a folder of them (may be repeated).",
        metavar="FILE",
    )
    title: str = asked("New-Wiki Eval", "What the site is called.", metavar="TEXT")
    address: str | None = asked(
        None, "Where it will be read, for the links of its feed.", metavar="URL", example="https://lab.example/board/"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.title.strip():
            raise UsageError("a site has a name; give --title a word")
        if self.address is not None and (
            urlsplit(self.address).scheme not in ("http", "https") or not urlsplit(self.address).netloc
        ):
            raise UsageError(f"--address is where the site is read, such as https://lab.example/, not '{self.address}'")
        if not self.sources and (self.key or self.receipt or self.checker):
            raise UsageError("--key, --receipt and --checker apply to bundles; name a bundle, or a folder of bundles")
        if self.receipt and not self.checker:
            raise UsageError("whose receipts count? Name the checkers' public keys with --checker FILE.pub")
