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
    results = Found.read(database, experiment_id)
    tables = [_corpora(results)]
    if results.common:
        cells = [
            [phrase, *(_share(by_corpus[name]) for name in results.names)]
            for phrase, by_corpus in results.common.items()
        ]
        tables.append(Table(_COMMON, ["noun phrase", *results.names], cells))
    if unique := [phrase for name in results.names for phrase in results.unique(name)]:
        heads = ["noun phrase", "corpus", "share [95 %]", "corpora", "against", "difference [95 %]", "p", ""]
        tables.append(Table(_UNIQUE, heads, [_unique(phrase, len(results.names)) for phrase in unique]))
    names = [column.name for column in fields(CorpusPhrase)]
    return Shown(
        names, [astuple(phrase) for phrase in results.phrases], _findings(results), tables, lambda _: figures(results)
    )


def _findings(results: Found) -> Findings:
    """State for each corpus which phrases it uses significantly more often than any corpus without them."""
    holds, unknown = [], []
    for corpus in results.names:
        unique = results.unique(corpus)
        beyond = [phrase for phrase in unique if phrase.verdict == BEYOND]
        if beyond:
            named = ", ".join(f"“{phrase.phrase}” {_difference(phrase)}" for phrase in beyond[:_NAMED])
            more = f" and {len(beyond) - _NAMED} more" if len(beyond) > _NAMED else ""
            holds.append(
                f"{corpus}: more frequent than after any corpus whose set lacks the phrase (percentage points): "
                f"{named}{more}"
            )
        if open_ := len(unique) - len(beyond):
            unknown.append(f"whether {open_} of {corpus}'s {len(unique)} unique phrases are unique by chance")
    return Findings(answer=sentence(results.phrases), holds=holds, unknown=unknown)


def _corpora(results: Found) -> Table:
    decoders = list(dict.fromkeys(run.decoder for run in results.responses))
    counts = {(run.corpus, run.decoder): run.phrases for run in results.responses}
    cells = [
        [corpus.corpus, corpus.texts, corpus.in_every, *(counts[corpus.corpus, name] for name in decoders),
         corpus.phrases, corpus.unique_phrases]
        for corpus in results.corpora
    ]  # fmt: skip
    heads = ["corpus", "texts", "in every corpus", *map(short_form, decoders), "any decoder", "unique"]
    return Table(_CORPORA, heads, cells)


def _share(phrase: CorpusPhrase) -> str:
    return estimate(phrase.share, phrase.low, phrase.high, percent, phrase.no_interval)


def _unique(phrase: CorpusPhrase, corpora: int) -> list[Any]:
    against = "" if phrase.against is None else f"{phrase.against} ({percent(phrase.against_share)})"
    judged = Judged(str(phrase.verdict), _TONES.get(str(phrase.verdict), "open"))
    return [
        phrase.phrase,
        phrase.corpus,
        _share(phrase),
        f"{phrase.corpora} of {corpora}",
        against,
        _difference(phrase),
        p_value(phrase.p_holm),
        judged,
    ]


def _difference(phrase: CorpusPhrase) -> str:
    return estimate(phrase.difference, phrase.difference_low, phrase.difference_high, partial(hundredths, signed=True))
