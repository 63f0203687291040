"""Register scorers as metrics: the built-in ones, which are the files in the folder `scorers`, and a user's own."""

from pathlib import Path

from evaluators.classifier import Classifier, load_classifier
from evaluators.scorer import Scorer, read_scorer
from newwiki.errors import UsageError
from newwiki.models.checkpoint import is_at_hand
from newwiki.records import Metric
from newwiki.registry import Evaluator, MakerLoader, check_names, evaluators, makers

PRESETS = Path(__file__).resolve().parent / "scorers"

_VERSION = "1"  # of the processing of a model's outputs: raise it whenever the same model would give other numbers


def add_scorers(files: str) -> None:
    """Register the metrics of the comma-separated files. A file may replace a preset, as for a better model.

    Raises UsageError for an invalid file, and for the name of any other metric.
    """
    for file in filter(None, (part.strip() for part in files.split(","))):
        scorer = read_scorer(Path(file))
        givers = {metric.name: given for given in evaluators.all().values() for metric in given.metrics}
        giver = givers.get(scorer.name)
        before = scorer_of(giver) if giver else None
        if giver and not (before and (before.file == scorer.file or is_preset(before))):
            raise UsageError(f"'{file}': a metric '{scorer.name}' already exists; give yours another name")
        added = _evaluator(scorer)
        check_names(added.name, added.metrics)
        evaluators.put(scorer.name, added)
        makers.put(scorer.name, _loader(scorer))


def scorer_of(evaluator: Evaluator) -> Scorer | None:
    """Return the scorer that an evaluator was made from, if any."""
    scorer = getattr(evaluator.function, "__self__", None)
    return scorer if isinstance(scorer, Scorer) else None


def is_preset(scorer: Scorer) -> bool:
    """Tell whether the scorer is built in."""
    return scorer.file.parent == PRESETS


def _evaluator(scorer: Scorer) -> Evaluator:
    metric = Metric(
        name=scorer.name,
        unit=scorer.unit,
        minimum=scorer.minimum,
        maximum=scorer.maximum,
        direction=scorer.direction,
        definition=scorer.definition,
        source=scorer.source,
        pitfalls=scorer.pitfalls,
    )
    return Evaluator(
        name=scorer.name,
        function=scorer.score,
        metrics=(metric,),
        version=_VERSION,
        needs=frozenset({scorer.name}),
        costly=True,
        alone=True,
        languages=frozenset(scorer.languages),
    )


def _loader(scorer: Scorer) -> MakerLoader:
    def load(settings: object) -> Classifier:
        return load_classifier(scorer)

    return MakerLoader(
        load, {"model": "--scorer"}, lambda settings: bool(scorer.model) and is_at_hand(scorer.place, scorer.revision)
    )


for _file in sorted(PRESETS.glob("*.toml")):
    _preset = read_scorer(_file)
    evaluators.add(_preset.name, _evaluator(_preset))
    makers.add(_preset.name, _loader(_preset))
