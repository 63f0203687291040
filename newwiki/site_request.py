"""The request that builds a site (see `newwiki.request`)."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from newwiki.errors import UsageError
from newwiki.fields import field
from newwiki.request import Request


@dataclass(frozen=True, kw_only=True)
class SiteRequest(Request):
    """The sources of a site, the keys whose bundles it accepts, and its title."""

    sources: tuple[str, ...] = field(
        (),
        "Source of the site: a database, a shared folder, a bundle or a folder of bundles (default: the database).",
        argument=True,
        metavar="SOURCE",
    )
    key: tuple[Path, ...] = field(
        (),
        "Public key to trust; bundles of other keys are refused: a FILE.pub, or a folder of them (may be repeated).",
        metavar="FILE",
    )
    recompute: bool = field(
        True,
        "Recompute the scores of bundles as `newwiki bundle check` does, and score anchors; others are shown as "
        "claimed.",
    )
    receipt: tuple[Path, ...] = field(
        (),
        "Receipt of `newwiki bundle check` for a bundle, in addition to those next to the bundles (may be repeated).",
        metavar="FILE",
    )
    checker: tuple[Path, ...] = field(
        (),
        "Public key of a checker whose receipts count: a FILE.pub, or a folder of them (may be repeated).",
        metavar="FILE",
    )
    title: str = field("New-Wiki Eval", "Title of the site.", metavar="TEXT")
    address: str | None = field(
        None,
        "Address where the site will be published, for the links of its feed.",
        metavar="URL",
        example="https://lab.example/board/",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.title.strip():
            raise UsageError("--title is empty: give the site a title")
        if self.address is not None and (
            urlsplit(self.address).scheme not in ("http", "https") or not urlsplit(self.address).netloc
        ):
            raise UsageError(
                f"--address '{self.address}' is not an http or https address: write it as https://lab.example/"
            )
        if not self.sources and (self.key or self.receipt or self.checker):
            raise UsageError(
                "--key, --receipt and --checker apply to bundles only: name a bundle, or a folder of bundles"
            )
        if self.receipt and not self.checker:
            raise UsageError(
                "--receipt needs --checker: name the public keys of trusted checkers with --checker FILE.pub"
            )
