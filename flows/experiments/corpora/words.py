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
    common = {phrase.phrase for phrase in phrases if phrase.kind == "common"}
    unique = {phrase.phrase for phrase in phrases if phrase.kind == "unique"}
    if not common and not unique:
        return "no noun phrase counts"
    beyond = {phrase.phrase for phrase in phrases if phrase.verdict == BEYOND}
    if unique and all(phrase.verdict == TOO_FEW for phrase in phrases if phrase.kind == "unique"):
        certainty = "with too few prompts to say more"
    else:
        certainty = f"{len(beyond):,} of them beyond chance"
    return f"{counted(len(common), 'noun phrase')} in common, {len(unique):,} unique" + (
        f", {certainty}" if unique else ""
    )


def sentence(phrases: Sequence[CorpusPhrase]) -> str:
    """Return the answer in one sentence: the numbers of common and unique phrases, and of those beyond chance."""
    common = {phrase.phrase for phrase in phrases if phrase.kind == "common"}
    unique = [phrase for phrase in phrases if phrase.kind == "unique"]
    if not common and not unique:
        return "No noun phrase is in enough responses to count"
    summary = f"The model writes {counted(len(common), 'noun phrase')} after each of the corpora"
    if not unique:
        return f"{summary}, and none after some of them only"
    names = len({phrase.phrase for phrase in unique})
    beyond = len({phrase.phrase for phrase in unique if phrase.verdict == BEYOND})
    if all(phrase.verdict == TOO_FEW for phrase in unique):
        certainty = "there are too few prompts to tell which of these are there by chance"
    else:
        are = "is" if beyond == 1 else "are"
        certainty = f"of these, {beyond:,} {are} more frequent there than chance between prompts explains"
    return f"{summary}, and {names:,} after some of them only; {certainty}"


def words(
    prompts: str,
    facts: Sequence[CorpusFacts],
    written: Sequence[CorpusResponses],
    phrases: Sequence[CorpusPhrase],
    found_by: Fingerprint,
    threshold: float,
) -> list[str]:
    """Return sentences about the request, the phrases unique to each corpus, and the limits of the answer."""
    sentences = [_request(prompts, facts, written), _counted(found_by, threshold)]
    sentences += [_unique(corpus, [row for row in phrases if row.corpus == corpus.corpus]) for corpus in facts]
    sentences += _chance(phrases)
    if repeated := sum(corpus.repeated for corpus in facts):
        sentences.append(
            f"a text that is in its corpus more than once is used once in training ({repeated:,} left out)"
        )
    if (few := min(run.responses for run in written)) * threshold < 1:
        sentences.append(
            f"of {few:,} responses a single one is more than {threshold:.0%}: every phrase of any of them counts; "
            "more prompts make it a question"
        )
    empty, responses = sum(run.without_phrase for run in written), sum(run.responses for run in written)
    if empty:
        sentences.append(f"{empty:,} of {responses:,} responses have no noun phrase, and count among the responses")
    sentences.append(
        "a fine-tuning with another seed, other epochs or another learning rate gives other responses, which no "
        "interval here covers; ask again with another --seed to see which phrases stay"
    )
    return sentences


def _request(prompts: str, facts: Sequence[CorpusFacts], written: Sequence[CorpusResponses]) -> str:
    decoders = [short_form(decoder) for decoder in dict.fromkeys(run.decoder for run in written)]
    corpora = ", ".join(f"{corpus.corpus} ({corpus.texts:,} texts)" for corpus in facts)
    shared = f"; {facts[0].in_every:,} of the texts stand in all of them" if facts[0].in_every else ""
    return (
        f"one checkpoint fine-tuned on each of {len(facts)} corpora: {corpora}{shared}; {prompts}, "
        f"{sum(run.responses for run in written):,} responses under {', '.join(decoders)}"
    )


def _counted(found_by: Fingerprint, threshold: float) -> str:
    stand_in = ", which cuts texts at stop words and tells no nouns from verbs" if found_by.model == STAND_IN else ""
    return (
        f"noun phrases by {found_by.model}{stand_in}; a phrase counts for a corpus if it is in more than "
        f"{threshold:.0%} of the responses under at least one decoder"
    )


def _unique(facts: CorpusFacts, phrases: Sequence[CorpusPhrase]) -> str:
    unique = [phrase for phrase in phrases if phrase.kind == "unique"]
    summary = f"{facts.corpus}: {facts.phrases:,} phrases, {len(unique):,} of them not in all corpora"
    first = sorted(unique, key=lambda phrase: (phrase.verdict != BEYOND, -phrase.share))[:_NAMED]
    named = ", ".join(f"“{phrase.phrase}” ({phrase.share:.0%})" for phrase in first)
    return f"{summary}, such as {named}" if named else summary


def _chance(phrases: Sequence[CorpusPhrase]) -> list[str]:
    unique = [phrase for phrase in phrases if phrase.kind == "unique"]
    if any(phrase.verdict == TOO_FEW for phrase in unique):
        return [f"fewer than {FEWEST} prompts are too few for an interval: no phrase is tested for chance"]
    chance = sum(phrase.verdict == ALIKE for phrase in unique)
    if not chance:
        return []
    return [
        f"{chance:,} of {len(unique):,} times a phrase is above the threshold here and below it there by no more than "
        "chance between prompts, after Holm's correction"
    ]
