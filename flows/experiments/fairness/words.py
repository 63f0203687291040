"""State in sentences what was found about groups."""

from collections import Counter
from collections.abc import Mapping, Sequence

from evaluators.statistics import FEWEST
from flows.experiments.fairness.findings import ALIKE, DIFFERENT, PROMPTS, TOO_FEW
from flows.experiments.fairness.material import Found
from flows.experiments.fairness.prompted_runs import NOT_AT_HAND
from flows.experiments.fairness.result_tables import AdvantageChange, FairnessSetting, GroupPair, GroupShare
from flows.presenting.numbers import counted
from newwiki.prompting.prompt_set import JudgedText, PromptSet

_REMEDIES = {
    "negative_regard": "`--scorer FILE.toml` names a regard classifier, or fetch sasha/regardv3",
    "negative_words": "`--lexicon FILE` names a list of negative words",
    "negative_sentiment": "pip install vaderSentiment",
}
_OTHER_LANGUAGE = (
    "`--lexicon FILE` names a list of negative words of that language, with `; language: CODE` in its first line, "
    "`--scorer FILE.toml` a classifier"
)
_JUDGED: Mapping[JudgedText, str] = {
    "completion": "what is judged is the first sentence that the model wrote, without its prompt; differences are over "
    "prompts, and hold for prompts like these",
    "prompt-and-completion": "what is judged is the prompt with the first sentence that the model wrote, as in the "
    "paper's own sentences; differences are over prompts, and hold for prompts like these",
}


def verdict(pairs: Sequence[GroupPair]) -> str:
    """Return `different` if any two groups differ at any setting, else the strongest of the other verdicts.

    `the prompts decide` precedes the verdicts that no difference is shown and that there are too few prompts.
    """
    said = {pair.verdict for pair in pairs}
    return next(one for one in (DIFFERENT, PROMPTS, ALIKE, TOO_FEW) if one in said)


def sentence(pairs: Sequence[GroupPair], shares: Sequence[GroupShare], settings: Sequence[FairnessSetting]) -> str:
    """Return the answer in one sentence: the two groups that differ most, or why none are said to differ."""
    different = [one for one in pairs if one.verdict == DIFFERENT]
    models = " and ".join(dict.fromkeys(one.model for one in pairs))
    tests = f"{len(pairs):,} comparisons of two groups under a setting"
    if different:
        most = max(different, key=lambda one: abs(one.difference or 0.0))
        worse, better = (
            (most.group_a, most.group_b) if most.group_b == most.advantaged else (most.group_b, most.group_a)
        )
        of_two = _shares(most, shares)
        return (
            f"{most.model} writes more negatively about {worse} than about {better}: {of_two[worse]:.1%} of the "
            f"sentences against {of_two[better]:.1%} by {most.metric} under {most.sweep} "
            f"{value_of(settings, most.model, most.sweep, most.place)}{_reversed(most, different, settings)}; "
            f"{len(different):,} of {tests} differ"
        )
    if any(one.verdict == PROMPTS for one in pairs):
        decided = sum(one.verdict == PROMPTS for one in pairs)
        return (
            f"{models} is not shown to write more negatively about any group than about another: in {decided:,} of "
            f"{tests} the texts differ, but no further than their prompts do"
        )
    if any(one.verdict == ALIKE for one in pairs):
        return f"{models} is not shown to write more negatively about any group than about another, in {tests}"
    return (
        f"There are too few prompts to tell whether {models} writes more negatively about one group than about another"
    )


def _reversed(most: GroupPair, different: Sequence[GroupPair], settings: Sequence[FairnessSetting]) -> str:
    """Name the settings of the same sweep at which the same two groups differ in the other direction."""
    compared = (most.model, most.metric, most.sweep, most.group_a, most.group_b)
    others = [
        value_of(settings, one.model, one.sweep, one.place)
        for one in different
        if (one.model, one.metric, one.sweep, one.group_a, one.group_b) == compared
        and one.advantaged != most.advantaged
    ]
    return f", but the other way round under {most.sweep} {', '.join(others)}" if others else ""


def words(prompts: PromptSet, found: Found, left_out: Mapping[str, str], judged: JudgedText) -> list[str]:
    """State the request, the findings of each model and metric, the changes of the advantaged group, and the gaps.

    `left_out` gives the reason for each default metric that is missing from the answer.
    """
    pairs, shares, settings = found.pairs, found.shares, found.settings
    told = [_asked(prompts, settings), _JUDGED[judged]]
    for model, metric in dict.fromkeys((one.model, one.metric) for one in pairs):
        of_both = [one for one in pairs if (one.model, one.metric) == (model, metric)]
        told.append(_found(model, metric, of_both, settings, shares))
        told += _decided(model, metric, of_both)
    told += _prompts_alone(shares)
    told += _changes(found.changes, settings)
    if any(one.verdict == TOO_FEW for one in pairs):
        told.append(f"fewer than {FEWEST} prompts of a group are too few for an interval, so the group is not compared")
    told += [
        f"{name} is not in the answer: it {why}; {_REMEDIES[name] if why == NOT_AT_HAND else _OTHER_LANGUAGE}"
        for name, why in left_out.items()
    ]
    unended, texts = sum(one.unended for one in settings), sum(one.texts for one in settings)
    if unended:
        told.append(
            f"{unended:,} of {texts:,} completions stop before a sentence ends and are judged as they are; a greater "
            "--max-new-tokens ends more of them"
        )
    if unscored := _unscored(shares):
        told.append(
            "without a number, and in no share: "
            + ", ".join(f"{count:,} sentences by {metric}" for metric, count in unscored.items())
        )
    return told


def value_of(settings: Sequence[FairnessSetting], model: str, sweep: str, place: int) -> str:
    return next(one.setting for one in settings if (one.model, one.sweep, one.place) == (model, sweep, place))


def _decided(model: str, metric: str, pairs: Sequence[GroupPair]) -> list[str]:
    """State for how many pairs and settings nothing is concluded, because the prompts differ as the texts do."""
    count = sum(one.verdict == PROMPTS for one in pairs)
    if not count:
        return []
    return [
        f"{model} by {metric}: {count} of {len(pairs)} pairs of groups and settings have no verdict: their texts "
        "differ, but no further than their prompts do by themselves; name the words that tell the groups apart in the "
        "column hide of --prompt-file, or give prompts that are judged alike"
    ]


def _prompts_alone(shares: Sequence[GroupShare]) -> list[str]:
    """State for each metric and category whether the prompts already differ before a model has written a word."""
    told = []
    for metric, category in dict.fromkeys((one.metric, one.category) for one in shares):
        of_both = [one for one in shares if (one.metric, one.category) == (metric, category)]
        alone = {one.group_name: one.prompt_share for one in of_both if one.prompt_share is not None}
        if len(set(alone.values())) > 1:
            listed = ", ".join(f"{share:.1%} of {group}" for group, share in alone.items())
            told.append(
                f"by {metric} the prompts of {category} differ before a model has written a word: negative are {listed}"
            )
    return told


def _unscored(shares: Sequence[GroupShare]) -> Mapping[str, int]:
    """Return the number of texts without a score by metric, without metrics that have no such texts."""
    found: Counter[str] = Counter()
    for one in shares:
        found[one.metric] += one.unscored
    return +found


def _asked(prompts: PromptSet, settings: Sequence[FairnessSetting]) -> str:
    groups = {(one.category, one.group_name) for one in prompts.prompts}
    sweeps = dict.fromkeys(one.sweep for one in settings)
    listed = ", ".join(f"{len({one.place for one in settings if one.sweep == sweep})} of {sweep}" for sweep in sweeps)
    return (
        f"{len(prompts.prompts):,} prompts about {len(groups)} groups of {len({one for one, _ in groups})} categories "
        f"({prompts.name}), {settings[0].texts // len(prompts.prompts):,} completions of each; settings: {listed}"
    )


def _found(
    model: str,
    metric: str,
    pairs: Sequence[GroupPair],
    settings: Sequence[FairnessSetting],
    shares: Sequence[GroupShare],
) -> str:
    different = [one for one in pairs if one.verdict == DIFFERENT]
    said = f"{model} by {metric}: {len(different)} of {len(pairs)} pairs of groups and settings differ"
    if not different:
        return (
            f"{said} beyond their prompts after Holm's correction, which is not that none does: the table has the "
            "intervals"
        )
    most = max(different, key=lambda one: abs(one.difference or 0.0))
    of_two = _shares(most, shares)
    low, high = sorted((most.group_a, most.group_b), key=lambda group: of_two[group])
    return (
        f"{said}, most of all {high} ({of_two[high]:.1%}) and {low} ({of_two[low]:.1%}) under {most.sweep} "
        f"{value_of(settings, model, most.sweep, most.place)}"
    )


def _shares(pair: GroupPair, shares: Sequence[GroupShare]) -> dict[str, float]:
    """Return the shares of all groups of a pair's category at its setting."""
    key = (pair.model, pair.metric, pair.sweep, pair.place, pair.category)
    return {
        one.group_name: one.share or 0.0
        for one in shares
        if (one.model, one.metric, one.sweep, one.place, one.category) == key
    }


def _changes(found: Sequence[AdvantageChange], settings: Sequence[FairnessSetting]) -> list[str]:
    if not found:
        return []
    shown = [one for one in found if one.shown]
    told = (
        f"along a sweep the group with fewer negative sentences changes {counted(len(found), 'time')}; {len(shown)} of "
        "these changes are between settings at which the groups differ"
        + ("" if len(shown) == len(found) else ", and the others may be chance")
    )
    return [told, *(_change(one, settings) for one in shown)]


def _change(one: AdvantageChange, settings: Sequence[FairnessSetting]) -> str:
    before, after = (value_of(settings, one.model, one.sweep, place) for place in (one.from_place, one.to_place))
    return (
        f"{one.model} by {one.metric}: between {one.sweep} {before} and {after} the advantage goes from "
        f"{one.advantaged_before} to {one.advantaged_after}"
    )
