"""Run the demonstration: train toy models on one month of a sample wiki, and run the monthly flow on the next month."""

import os
import shlex
import shutil
import sys
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from evaluators.claims.sentence_processing import claims_of
from evaluators.entities import DEFAULT_TAGGER, STAND_IN
from flows.comparing import show_board
from flows.printing import say
from flows.progress import Progress
from flows.refreshing.gather_and_publish import SnapshotDefinition, refresh
from flows.refreshing.show_funnel import show_funnel
from flows.schedule.due import Month
from newwiki.registrations import Evaluation, Model, Registrations, Report, Wiki
from newwiki.registry import makers, sources
from newwiki.request import LeaderboardRequest
from newwiki.sample import toy, toy_nli
from newwiki.settings import Settings
from newwiki.snapshot import Article, Window
from storage import snapshots
from storage.database import Database

TRAINING_MONTH, TEST_MONTH = "2026-08", "2026-09"
DECODERS = ("greedy", "sample:top_p=0.9,top_k=20,temperature=0.9")
SAMPLE = 10
EVALUATION = Evaluation(max_new_tokens=256)
_ROUNDS = 2  # training pairs per sentence and label for the toy pair scorer
_SETTINGS = (
    "template", "entities", "embedder", "embedder_dtype", "embedder_backend", "likelihood_model", "pair_scorer",
    "evidence",
)  # fmt: skip


def wiki() -> Path:
    """Return the path of the sample wiki: a MediaWiki XML export of invented subjects, with full histories."""
    return Path(str(files("newwiki.sample") / "wiki.xml"))


def train_toy(database: Database, folder: Path, progress: Progress) -> None:
    """Publish the older month, and train the toy checkpoint on it unless the folder exists."""
    articles = _older_month(database, progress)
    if folder.is_dir():
        progress.note(f"the toy checkpoint is there: {folder}")
        return
    texts = [f"{a.title}\n\n{a.first_sentence} {a.completion}" for a in articles]
    with progress.stretch("training the toy checkpoint", "steps") as bar:
        toy.train(texts, folder, report=bar.update)


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
    snapshot = refresh(database, sources.get("dump")(str(wiki())), wanted, progress)
    return sorted(snapshots.articles(database, snapshot.snapshot_id), key=lambda article: article.page_id)


def run(folder: Path, settings: Settings, progress: Progress, *, claims: bool = False) -> None:
    """Run the full pipeline in `folder`, which receives the database, the checkpoint and Prefect's files.

    With a configured Prefect server, the files of Prefect stay on that server. With `claims`, also train a pair scorer.
    Where the default pipeline for named entities is not installed, rules find them, and a note says so.
    """
    settings = with_entities(settings, progress)
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("PREFECT_HOME", str((folder / "prefect").resolve()))
    from flows.schedule.flow import month

    database = Database(folder / "demo.duckdb")
    checkpoint = folder / "toy-gpt2"
    train_toy(database, checkpoint, progress)
    if claims:
        settings = replace(settings, pair_scorer=str(train_toy_scorer(database, folder / "toy-nli", progress)))
    registered = Registrations(
        wikis=(Wiki(name="sample", dump=str(wiki()), sample=SAMPLE),),
        models=(Model(name=str(checkpoint), decoders=DECODERS),),
        evaluation=EVALUATION,
        report=Report(out=str(folder / "reports")),
    )
    settings = replace(settings, db=str(database.path))
    ending = month(Month(registered.wikis[0], TEST_MONTH, registered, settings))
    show_funnel(database, ending.snapshot.snapshot_id, "table")
    for note in show_board.show(database, LeaderboardRequest(snapshot=ending.snapshot.snapshot_id), "table", prefer=()):
        progress.note(note)
    say(where_next(database.path, checkpoint, ending.report, settings))


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
            f"  {newwiki} leaderboard --format markdown --db {file}",
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
