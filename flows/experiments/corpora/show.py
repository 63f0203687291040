"""Build the tables of the corpora experiment; `figures.py` draws the figures."""

from dataclasses import astuple, fields
from functools import partial
from typing import Any

from flows.experiments.corpora.figures import figures
from flows.experiments.corpora.findings import ALIKE, BEYOND
from flows.experiments.corpora.material import Found
from flows.experiments.corpora.result_tables import CorpusPhrase
from flows.experiments.corpora.words import sentence
from flows.experiments.experiment import Findings, Judged, Shown, Table, Tone
from flows.presenting.numbers import estimate, hundredths, p_value, percent
from newwiki.decoding.grammar import short_form
from storage.database import Database

_CORPORA = (
    "The corpora: different texts, those of them that stand in every corpus, how many noun phrases count under each "
    "decoder, how many under any, and how many of these are not in all corpora."
)
_COMMON = (
    "Noun phrases in the sets of all corpora (figure 4), by the share of each corpus' responses, each decoder counted "
    "alike, with 95 % intervals clustered by prompt."
)
_UNIQUE = (
    "Noun phrases of a corpus' set that are not in all (figure 5), by the share of its responses; in how many corpora; "
    "of the corpora whose sets lack it, the one whose responses have it most often, and the difference in percentage "
    "points with its 95 % interval, prompt by prompt; p after Holm's correction for all phrases that might have come "
    "to be unique."
)
_NAMED = 5  # phrases listed in a sentence
_TONES: dict[str, Tone] = {BEYOND: "good", ALIKE: "open"}


def show(database: Database, experiment_id: str) -> Shown:
    found = Found.read(database, experiment_id)
    tables = [_corpora(found)]
    if found.common:
        cells = [[phrase, *(_share(of_one[name]) for name in found.names)] for phrase, of_one in found.common.items()]
        tables.append(Table(_COMMON, ["noun phrase", *found.names], cells))
    if unique := [one for name in found.names for one in found.unique(name)]:
        heads = ["noun phrase", "corpus", "share [95 %]", "corpora", "against", "difference [95 %]", "p", ""]
        tables.append(Table(_UNIQUE, heads, [_unique(one, len(found.names)) for one in unique]))
    names = [one.name for one in fields(CorpusPhrase)]
    return Shown(names, [astuple(one) for one in found.phrases], _findings(found), tables, lambda _: figures(found))


def _findings(found: Found) -> Findings:
    """State for each corpus which phrases it uses significantly more often than any corpus without them."""
    holds, unknown = [], []
    for corpus in found.names:
        unique = found.unique(corpus)
        beyond = [one for one in unique if one.verdict == BEYOND]
        if beyond:
            named = ", ".join(f"“{one.phrase}” {_difference(one)}" for one in beyond[:_NAMED])
            more = f" and {len(beyond) - _NAMED} more" if len(beyond) > _NAMED else ""
            holds.append(
                f"{corpus}: more frequent than after any corpus whose set lacks the phrase (percentage points): "
                f"{named}{more}"
            )
        if open_ := len(unique) - len(beyond):
            unknown.append(f"whether {open_} of {corpus}'s {len(unique)} unique phrases are unique by chance")
    return Findings(answer=sentence(found.phrases), holds=holds, unknown=unknown)


def _corpora(found: Found) -> Table:
    decoders = list(dict.fromkeys(one.decoder for one in found.responses))
    counts = {(one.corpus, one.decoder): one.phrases for one in found.responses}
    cells = [
        [one.corpus, one.texts, one.in_every, *(counts[one.corpus, name] for name in decoders), one.phrases,
         one.unique_phrases]
        for one in found.corpora
    ]  # fmt: skip
    heads = ["corpus", "texts", "in every corpus", *map(short_form, decoders), "any decoder", "unique"]
    return Table(_CORPORA, heads, cells)


def _share(one: CorpusPhrase) -> str:
    return estimate(one.share, one.low, one.high, percent, one.no_interval)


def _unique(one: CorpusPhrase, corpora: int) -> list[Any]:
    against = "" if one.against is None else f"{one.against} ({percent(one.against_share)})"
    judged = Judged(str(one.verdict), _TONES.get(str(one.verdict), "open"))
    return [
        one.phrase,
        one.corpus,
        _share(one),
        f"{one.corpora} of {corpora}",
        against,
        _difference(one),
        p_value(one.p_holm),
        judged,
    ]


def _difference(one: CorpusPhrase) -> str:
    return estimate(one.difference, one.difference_low, one.difference_high, partial(hundredths, signed=True))
