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
    verdicts = {pair.verdict for pair in pairs}
    return next(candidate for candidate in (DIFFERENT, PROMPTS, ALIKE, TOO_FEW) if candidate in verdicts)


def sentence(pairs: Sequence[GroupPair], shares: Sequence[GroupShare], settings: Sequence[FairnessSetting]) -> str:
    """Return the answer in one sentence: the two groups that differ most, or why none are said to differ."""
    different = [pair for pair in pairs if pair.verdict == DIFFERENT]
    models = " and ".join(dict.fromkeys(pair.model for pair in pairs))
    tests = f"{len(pairs):,} comparisons of two groups under a setting"
    if different:
        most = max(different, key=lambda pair: abs(pair.difference or 0.0))
        worse, better = (
            (most.group_a, most.group_b) if most.group_b == most.advantaged else (most.group_b, most.group_a)
        )
        group_shares = _shares(most, shares)
        return (
            f"{most.model} writes more negatively about {worse} than about {better}: {group_shares[worse]:.1%} of the "
            f"sentences against {group_shares[better]:.1%} by {most.metric} under {most.sweep} "
            f"{value_of(settings, most.model, most.sweep, most.place)}{_reversed(most, different, settings)}; "
            f"{len(different):,} of {tests} differ"
        )
    if any(pair.verdict == PROMPTS for pair in pairs):
        decided = sum(pair.verdict == PROMPTS for pair in pairs)
        return (
            f"{models} is not shown to write more negatively about any group than about another: in {decided:,} of "
            f"{tests} the texts differ, but no further than their prompts do"
        )
    if any(pair.verdict == ALIKE for pair in pairs):
        return f"{models} is not shown to write more negatively about any group than about another, in {tests}"
    return (
        f"There are too few prompts to tell whether {models} writes more negatively about one group than about another"
    )


def _reversed(most: GroupPair, different: Sequence[GroupPair], settings: Sequence[FairnessSetting]) -> str:
    """Name the settings of the same sweep at which the same two groups differ in the other direction."""
    compared = (most.model, most.metric, most.sweep, most.group_a, most.group_b)
    others = [
        value_of(settings, pair.model, pair.sweep, pair.place)
        for pair in different
        if (pair.model, pair.metric, pair.sweep, pair.group_a, pair.group_b) == compared
        and pair.advantaged != most.advantaged
    ]
    return f", but the other way round under {most.sweep} {', '.join(others)}" if others else ""


def words(prompts: PromptSet, results: Found, left_out: Mapping[str, str], judged: JudgedText) -> list[str]:
    """State the request, the findings of each model and metric, the changes of the advantaged group, and the gaps.

    `left_out` gives the reason for each default metric that is missing from the answer.
    """
    pairs, shares, settings = results.pairs, results.shares, results.settings
    sentences = [_request(prompts, settings), _JUDGED[judged]]
    for model, metric in dict.fromkeys((pair.model, pair.metric) for pair in pairs):
        model_pairs = [pair for pair in pairs if (pair.model, pair.metric) == (model, metric)]
        sentences.append(_differing(model, metric, model_pairs, settings, shares))
        sentences += _decided(model, metric, model_pairs)
    sentences += _prompts_alone(shares)
    sentences += _changes(results.changes, settings)
    if any(pair.verdict == TOO_FEW for pair in pairs):
        sentences.append(
            f"fewer than {FEWEST} prompts of a group are too few for an interval, so the group is not compared"
        )
    sentences += [
        f"{name} is not in the answer: it {why}; {_REMEDIES[name] if why == NOT_AT_HAND else _OTHER_LANGUAGE}"
        for name, why in left_out.items()
    ]
    unended, texts = sum(setting.unended for setting in settings), sum(setting.texts for setting in settings)
    if unended:
        sentences.append(
            f"{unended:,} of {texts:,} completions stop before a sentence ends and are judged as they are; a greater "
            "--max-new-tokens ends more of them"
        )
    if unscored := _unscored(shares):
        sentences.append(
            "without a number, and in no share: "
            + ", ".join(f"{count:,} sentences by {metric}" for metric, count in unscored.items())
        )
    return sentences


def value_of(settings: Sequence[FairnessSetting], model: str, sweep: str, place: int) -> str:
    return next(
        setting.setting
        for setting in settings
        if (setting.model, setting.sweep, setting.place) == (model, sweep, place)
    )


def _decided(model: str, metric: str, pairs: Sequence[GroupPair]) -> list[str]:
    """State for how many pairs and settings nothing is concluded, because the prompts differ as the texts do."""
    count = sum(pair.verdict == PROMPTS for pair in pairs)
    if not count:
        return []
    return [
        f"{model} by {metric}: {count} of {len(pairs)} pairs of groups and settings have no verdict: their texts "
        "differ, but no further than their prompts do by themselves; name the words that tell the groups apart in the "
        "column hide of --prompt-file, or give prompts that are judged alike"
    ]


def _prompts_alone(shares: Sequence[GroupShare]) -> list[str]:
    """State for each metric and category whether the prompts already differ before a model has written a word."""
    sentences = []
    for metric, category in dict.fromkeys((share.metric, share.category) for share in shares):
        category_shares = [share for share in shares if (share.metric, share.category) == (metric, category)]
        alone = {share.group_name: share.prompt_share for share in category_shares if share.prompt_share is not None}
        if len(set(alone.values())) > 1:
            listed = ", ".join(f"{share:.1%} of {group}" for group, share in alone.items())
            sentences.append(
                f"by {metric} the prompts of {category} differ before a model has written a word: negative are {listed}"
            )
    return sentences


def _unscored(shares: Sequence[GroupShare]) -> Mapping[str, int]:
    """Return the number of texts without a score by metric, without metrics that have no such texts."""
    counts: Counter[str] = Counter()
    for share in shares:
        counts[share.metric] += share.unscored
    return +counts


def _request(prompts: PromptSet, settings: Sequence[FairnessSetting]) -> str:
    groups = {(prompt.category, prompt.group_name) for prompt in prompts.prompts}
    sweeps = dict.fromkeys(setting.sweep for setting in settings)
    listed = ", ".join(
        f"{len({setting.place for setting in settings if setting.sweep == sweep})} of {sweep}" for sweep in sweeps
    )
    return (
        f"{len(prompts.prompts):,} prompts about {len(groups)} groups of {len({category for category, _ in groups})} "
        f"categories ({prompts.name}), {settings[0].texts // len(prompts.prompts):,} completions of each; "
        f"settings: {listed}"
    )


def _differing(
    model: str,
    metric: str,
    pairs: Sequence[GroupPair],
    settings: Sequence[FairnessSetting],
    shares: Sequence[GroupShare],
) -> str:
    different = [pair for pair in pairs if pair.verdict == DIFFERENT]
    summary = f"{model} by {metric}: {len(different)} of {len(pairs)} pairs of groups and settings differ"
    if not different:
        return (
            f"{summary} beyond their prompts after Holm's correction, which is not that none does: the table has the "
            "intervals"
        )
    most = max(different, key=lambda pair: abs(pair.difference or 0.0))
    group_shares = _shares(most, shares)
    low, high = sorted((most.group_a, most.group_b), key=lambda group: group_shares[group])
    return (
        f"{summary}, most of all {high} ({group_shares[high]:.1%}) and {low} ({group_shares[low]:.1%}) under "
        f"{most.sweep} {value_of(settings, model, most.sweep, most.place)}"
    )


def _shares(pair: GroupPair, shares: Sequence[GroupShare]) -> dict[str, float]:
    """Return the shares of all groups of a pair's category at its setting."""
    key = (pair.model, pair.metric, pair.sweep, pair.place, pair.category)
    return {
        share.group_name: share.share or 0.0
        for share in shares
        if (share.model, share.metric, share.sweep, share.place, share.category) == key
    }


def _changes(changes: Sequence[AdvantageChange], settings: Sequence[FairnessSetting]) -> list[str]:
    if not changes:
        return []
    shown = [change for change in changes if change.shown]
    summary = (
        f"along a sweep the group with fewer negative sentences changes {counted(len(changes), 'time')}; {len(shown)} "
        "of these changes are between settings at which the groups differ"
        + ("" if len(shown) == len(changes) else ", and the others may be chance")
    )
    return [summary, *(_change(change, settings) for change in shown)]


def _change(change: AdvantageChange, settings: Sequence[FairnessSetting]) -> str:
    before, after = (
        value_of(settings, change.model, change.sweep, place) for place in (change.from_place, change.to_place)
    )
    return (
        f"{change.model} by {change.metric}: between {change.sweep} {before} and {after} the advantage goes from "
        f"{change.advantaged_before} to {change.advantaged_after}"
    )
