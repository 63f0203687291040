"""State in sentences what was found about corpora."""

from collections.abc import Sequence

from evaluators.noun_phrases import STAND_IN
from evaluators.statistics import FEWEST
from flows.experiments.corpora.findings import ALIKE, BEYOND, TOO_FEW
from flows.experiments.corpora.result_tables import CorpusFacts, CorpusPhrase, CorpusResponses
from flows.presenting.numbers import counted
from newwiki.decoding.grammar import short_form
from newwiki.records import Fingerprint

_NAMED = 3  # phrases listed in a sentence


def verdict(phrases: Sequence[CorpusPhrase]) -> str:
    """Return the numbers of common and unique phrases."""
    common = {one.phrase for one in phrases if one.kind == "common"}
    unique = {one.phrase for one in phrases if one.kind == "unique"}
    if not common and not unique:
        return "no noun phrase counts"
    beyond = {one.phrase for one in phrases if one.verdict == BEYOND}
    if unique and all(one.verdict == TOO_FEW for one in phrases if one.kind == "unique"):
        told = "with too few prompts to say more"
    else:
        told = f"{len(beyond):,} of them beyond chance"
    return f"{counted(len(common), 'noun phrase')} in common, {len(unique):,} unique" + (f", {told}" if unique else "")


def sentence(phrases: Sequence[CorpusPhrase]) -> str:
    """Return the answer in one sentence: the numbers of common and unique phrases, and of those beyond chance."""
    common = {one.phrase for one in phrases if one.kind == "common"}
    unique = [one for one in phrases if one.kind == "unique"]
    if not common and not unique:
        return "No noun phrase is in enough responses to count"
    found = f"The model writes {counted(len(common), 'noun phrase')} after each of the corpora"
    if not unique:
        return f"{found}, and none after some of them only"
    names = len({one.phrase for one in unique})
    beyond = len({one.phrase for one in unique if one.verdict == BEYOND})
    if all(one.verdict == TOO_FEW for one in unique):
        told = "there are too few prompts to tell which of these are there by chance"
    else:
        are = "is" if beyond == 1 else "are"
        told = f"of these, {beyond:,} {are} more frequent there than chance between prompts explains"
    return f"{found}, and {names:,} after some of them only; {told}"


def words(
    prompts: str,
    facts: Sequence[CorpusFacts],
    written: Sequence[CorpusResponses],
    phrases: Sequence[CorpusPhrase],
    found_by: Fingerprint,
    threshold: float,
) -> list[str]:
    """Return sentences about the request, the phrases unique to each corpus, and the limits of the answer."""
    told = [_asked(prompts, facts, written), _counted(found_by, threshold)]
    told += [_unique(one, [row for row in phrases if row.corpus == one.corpus]) for one in facts]
    told += _chance(phrases)
    if repeated := sum(one.repeated for one in facts):
        told.append(f"a text that is in its corpus more than once is used once in training ({repeated:,} left out)")
    if (few := min(one.responses for one in written)) * threshold < 1:
        told.append(
            f"of {few:,} responses a single one is more than {threshold:.0%}: every phrase of any of them counts; "
            "more prompts make it a question"
        )
    empty, responses = sum(one.without_phrase for one in written), sum(one.responses for one in written)
    if empty:
        told.append(f"{empty:,} of {responses:,} responses have no noun phrase, and count among the responses")
    told.append(
        "a fine-tuning with another seed, other epochs or another learning rate gives other responses, which no "
        "interval here covers; ask again with another --seed to see which phrases stay"
    )
    return told


def _asked(prompts: str, facts: Sequence[CorpusFacts], written: Sequence[CorpusResponses]) -> str:
    decoders = [short_form(one) for one in dict.fromkeys(one.decoder for one in written)]
    corpora = ", ".join(f"{one.corpus} ({one.texts:,} texts)" for one in facts)
    shared = f"; {facts[0].in_every:,} of the texts stand in all of them" if facts[0].in_every else ""
    return (
        f"one checkpoint fine-tuned on each of {len(facts)} corpora: {corpora}{shared}; {prompts}, "
        f"{sum(one.responses for one in written):,} responses under {', '.join(decoders)}"
    )


def _counted(found_by: Fingerprint, threshold: float) -> str:
    stand_in = ", which cuts texts at stop words and tells no nouns from verbs" if found_by.model == STAND_IN else ""
    return (
        f"noun phrases by {found_by.model}{stand_in}; a phrase counts for a corpus if it is in more than "
        f"{threshold:.0%} of the responses under at least one decoder"
    )


def _unique(facts: CorpusFacts, phrases: Sequence[CorpusPhrase]) -> str:
    unique = [one for one in phrases if one.kind == "unique"]
    told = f"{facts.corpus}: {facts.phrases:,} phrases, {len(unique):,} of them not in all corpora"
    first = sorted(unique, key=lambda one: (one.verdict != BEYOND, -one.share))[:_NAMED]
    named = ", ".join(f"“{one.phrase}” ({one.share:.0%})" for one in first)
    return f"{told}, such as {named}" if named else told


def _chance(phrases: Sequence[CorpusPhrase]) -> list[str]:
    unique = [one for one in phrases if one.kind == "unique"]
    if any(one.verdict == TOO_FEW for one in unique):
        return [f"fewer than {FEWEST} prompts are too few for an interval: no phrase is tested for chance"]
    chance = sum(one.verdict == ALIKE for one in unique)
    if not chance:
        return []
    return [
        f"{chance:,} of {len(unique):,} times a phrase is above the threshold here and below it there by no more than "
        "chance between prompts, after Holm's correction"
    ]
