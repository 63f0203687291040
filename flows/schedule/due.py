"""Determine the months that are due, and those that are still incomplete for the current registration.

A month is due on the 15th of the next month, which is also its cutoff, so that new pages have time to settle.
"""

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from newwiki.registrations import Model, Registrations, Wiki
from newwiki.request import RefreshRequest
from newwiki.settings import Settings
from newwiki.snapshot import Window
from storage import months
from storage.database import Database

_SCORING = ("entities", "embedder", "embedder_dtype", "likelihood_model", "scorers", "template")
# These settings came later. Hashing them only if they differ from the default keeps earlier months complete.
_SCORING_LATER = ("embedder_backend", "lexicon", "pair_scorer", "evidence")


@dataclass(frozen=True)
class Month:
    """A month of a registered wiki, with the registration and the settings that apply to it."""

    wiki: Wiki
    label: str
    registered: Registrations
    settings: Settings

    def __str__(self) -> str:
        return f"{self.wiki.name} {self.label}"

    @property
    def request(self) -> RefreshRequest:
        named = self.wiki.name if not (self.wiki.api or self.wiki.dump) else None
        registered = self.wiki.fields_for(RefreshRequest)
        return RefreshRequest(month=self.label, wiki=named, cutoff=settled(Window.month(self.label)), **registered)

    def settings_of(self, model: Model) -> Settings:
        """Return the settings for a model, which may have a template of its own."""
        return self.settings if model.template is None else replace(self.settings, template=model.template)

    @property
    def registered_sha256(self) -> str:
        """A hash of the settings that affect the snapshot, the completions and the scores.

        Most defaults are omitted.
        """
        wiki = self.wiki.model_dump(exclude={"api", "dump", "since"}, exclude_defaults=True)
        registration = self.registered.model_dump(include={"models", "evaluation", "gates"}, exclude_defaults=True)
        scoring = {name: getattr(self.settings, name) for name in _SCORING}
        for name in _SCORING_LATER:
            if getattr(self.settings, name) != getattr(Settings, name):
                scoring[name] = getattr(self.settings, name)
        whole = json.dumps([self.label, wiki, registration, scoring], sort_keys=True, default=list)
        return hashlib.sha256(whole.encode()).hexdigest()


def to_do(database: Database, registered: Registrations, settings: Settings, wiki: Wiki, now: datetime) -> list[Month]:
    """Return the months of the wiki that are due by `now` and incomplete, the oldest first."""
    newest = newest_due(now)
    month = Window.month(wiki.since or months.first(database, wiki.name) or newest.label)
    complete = months.complete(database, wiki.name)
    due = []
    while month.start <= newest.start:
        candidate = Month(wiki, month.label, registered, settings)
        if (candidate.label, candidate.registered_sha256) not in complete:
            due.append(candidate)
        month = Window.month(f"{month.end:%Y-%m}")
    return due


def newest_due(now: datetime) -> Window:
    """Return the newest month that is due by `now`."""
    last = Window.month(f"{now.replace(day=1) - timedelta(days=1):%Y-%m}")
    return last if settled(last) <= now else Window.month(f"{last.start - timedelta(days=1):%Y-%m}")


def settled(month: Window) -> datetime:
    """Return the cutoff of a month: the start of the 15th of the next month."""
    return month.end.replace(day=15)
