"""What holds of every experiment: an answer names the runs that it read by id and weights, and it reads no others."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.cutoff_seeds import articles
from flows.experiments.answer_runs import AnswerRun, labels, named_in, require_same_weights
from flows.experiments.answering import answer
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Answer, Experiment, every
from flows.progress import Silent
from newwiki.errors import TerminalError
from newwiki.experiment_request import ExperimentRequest
from newwiki.settings import Settings
from storage import experiments
from storage.database import Database
from tests.evaluators.handmade import judge
from tests.flows.experiments.invented import publish_month

pytestmark = pytest.mark.slow

ARTICLES = 14
OLD, NEW = "inventedwiki-2026-08", "inventedwiki-2026-10"
WRITTEN: dict[str, Any] = {"decoder": ("greedy",), "max_new_tokens": 8, "samples": 1, "keep": 1, "snapshot": NEW}
SHORT = {"prompt_length": 4, "prefix_length": (4,), "gap": (), "rate": (0.5,), "max_new_tokens": 4, "samples": 1}
# What each experiment is asked here. A new experiment needs a line.
ASKED: Mapping[str, dict[str, Any]] = {
    "authorship": {**WRITTEN, "metrics": "words"},
    "contrast": {"snapshot": NEW, "max_new_tokens": 8, "metrics": "diversity,words", "decoder": ("greedy",),
                 "ablations": "none"},
    "corpora": {"max_new_tokens": 4, "epochs": 1, "max_length": 16, "decoder": ("greedy",),
                "noun_phrases": "chunks-v1"},
    "cutoff": {"snapshot": NEW},
    "decoder-grid": {**WRITTEN, "metrics": "distinct_2,rep_4"},
    "exposure-bias": {"snapshot": NEW, "seeds": 2, **SHORT},
    "fairness": {"metrics": "negative_words", "prompts": 1, "samples": 1, "swap_texts": 0, "max_new_tokens": 4,
                 "decoder": ("greedy",)},
    "leakage": {"snapshot": NEW, "old": OLD},
    "linking": {**WRITTEN, "metrics": "words"},
    "models": {**WRITTEN, "metrics": "distinct_2,rep_4"},
    "verifiability": {**WRITTEN, "decoder": ("greedy", "sample:top_k=2")},
}  # fmt: skip
READS_STORED = {"authorship", "models", "linking"}  # runs of other weights that are stored are rows of their own
# Experiments whose runs come by a way of their own: those that read stored runs, one that reads a second model, one
# that continues texts, one that trains, and one with prompts of its own. The others ask for their runs as
# `decoder-grid` does.
BY_EACH_WAY = {"authorship", "models", "contrast", "exposure-bias", "corpora", "fairness"}
SCORES_RUNS, SCORES_NONE = "decoder-grid", "exposure-bias"
READS_NO_RUN = {"metrics"}


@dataclass(frozen=True)
class Asked:
    """An experiment on a database and a checkpoint of its own. `found` is its first answer, `answered` the id."""

    experiment: Experiment
    database: Database
    checkpoint: Path
    settings: Settings
    request: ExperimentRequest
    answered: str = ""
    found: Answer | None = None

    def find(self) -> Answer:
        return self.experiment.compute(Evaluations(self.database, self.settings, Silent()), self.request)

    def keep(self) -> tuple[str, Answer]:
        """The id of the answer, and the answer as it was computed."""
        kept = _Kept(**vars(self.experiment))
        name = answer(kept, Evaluations(self.database, self.settings, Silent()), self.request)
        return name, kept.computed[0]


@dataclass(frozen=True)
class _Kept(Experiment):
    """An experiment that holds on to what it computes."""

    computed: list[Answer] = field(default_factory=list)

    def compute(self, evaluations: Evaluations, request: ExperimentRequest) -> Answer:
        self.computed.append(super().compute(evaluations, request))
        return self.computed[-1]


@pytest.fixture(scope="module")
def months(tmp_path_factory: pytest.TempPathFactory) -> Path:
    database, random = Database(tmp_path_factory.mktemp("months") / "newwiki.duckdb"), np.random.default_rng(4)
    for place, month in enumerate(("2026-08", "2026-10")):
        # a third of the articles are tagged
        tags = dict.fromkeys(range(1 + 100 * place, 200, 3), "{{AI-generated}}")
        publish_month(database, month, articles(random, 0, ARTICLES), 1 + 100 * place, tags)
    return database.path


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return judge(tmp_path_factory.mktemp("judge"))


@pytest.fixture(scope="module")
def others(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two checkpoints of other weights: months are linked by three models."""
    folders = [Path(shutil.copytree(toy_checkpoint, tmp_path_factory.mktemp("others") / name)) for name in "ab"]
    for seed, folder in enumerate(folders, start=1):
        overwrite(folder, seed)
    return folders


def of(names: set[str]) -> list[Experiment]:
    return [one for one in every() if one.name in names]


@pytest.fixture(
    scope="module", params=[one for one in every() if one.name not in READS_NO_RUN], ids=lambda one: one.name
)
def first(
    request: pytest.FixtureRequest,
    months: Path,
    scorer: Path,
    others: list[Path],
    toy_checkpoint: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Asked:
    """Answered once, for the tests to go on from."""
    experiment: Experiment = request.param
    folder = tmp_path_factory.mktemp("answered")
    db = Path(shutil.copy(months, folder / "newwiki.duckdb"))
    checkpoint = Path(shutil.copytree(toy_checkpoint, folder / "toy"))
    models: tuple[str, ...] = (str(checkpoint),)
    more = dict(ASKED[experiment.name])
    if experiment.name == "linking":
        models = (*models, *map(str, others))
    if experiment.name == "contrast":
        more["amateur"] = (str(toy_checkpoint),)
    if experiment.name == "corpora":
        (folder / "corpora.csv").write_text("label,text\n" + "one,A mill stands.\ntwo,A ferry sank.\n" * 4)
        (folder / "prompts.txt").write_text("The mill\nThe ferry\n")
        more |= {"corpus_file": (folder / "corpora.csv",), "prompt_file": folder / "prompts.txt"}
    (folder / "negative.txt").write_text("bad\nworse\n")
    settings = Settings(db=str(db), pair_scorer=str(scorer), lexicon=str(folder / "negative.txt"))
    asked = Asked(experiment, Database(db), checkpoint, settings, experiment.request(models=models, **more))
    name, found = asked.keep()
    return replace(asked, answered=name, found=found)


@pytest.fixture
def asked(first: Asked, toy_checkpoint: Path, tmp_path: Path) -> Iterator[Asked]:
    """The same experiment on a copy of the database that has its runs. The checkpoint is as it was, whatever the test
    before has made of it."""
    db = Path(shutil.copy(first.database.path, tmp_path / "newwiki.duckdb"))
    yield replace(first, database=Database(db), settings=replace(first.settings, db=str(db)))
    shutil.copytree(toy_checkpoint, first.checkpoint, dirs_exist_ok=True)


def overwrite(checkpoint: Path, seed: int = 8) -> None:
    """Writes other weights into the folder."""
    import torch
    from transformers import AutoModelForCausalLM

    model: Any = AutoModelForCausalLM.from_pretrained(checkpoint)
    torch.manual_seed(seed)
    with torch.no_grad():
        for weights in model.parameters():
            weights.add_(0.3 * torch.randn_like(weights))
    model.save_pretrained(checkpoint)


def add_decoys(database: Database) -> None:
    """Beside each run one of the same name, decoder and settings, of other weights and other numbers, begun later."""
    changes = {
        "runs": ", model_sha256 = 'dec0' || model_sha256, started_at = now(), finished_at = now()",
        "scores": ", value = 0.5 * value",
        "run_scores": ", value = 0.5 * value",
    }
    with database.write() as connection:
        for table in of_runs(connection):
            for statement in (
                f"create temp table decoys as from {table} where not starts_with(run_id, 'reference:')",
                f"update decoys set run_id = reverse(run_id){changes.get(table, '')}",  # noqa: S608 (our own names)
                f"insert into {table} from decoys where run_id not in (select run_id from {table})",  # noqa: S608
                "drop table decoys",
            ):
                connection.execute(statement)


def keep_only(database: Database, run_ids: set[str]) -> None:
    with database.write() as connection:
        for table in of_runs(connection):
            others = "run_id not in (select unnest($1)) and not starts_with(run_id, 'reference:')"
            connection.execute(f"delete from {table} where {others}", [sorted(run_ids)])  # noqa: S608 (our own names)
        others = "generation_id not in (select unnest($1))"
        connection.execute(f"delete from exposure_generations where {others}", [sorted(run_ids)])  # noqa: S608


def of_runs(connection: Any) -> list[str]:
    """The tables of what runs have; those of answers are left out."""
    columns = (
        "select table_name, column_name from duckdb_columns() join duckdb_tables() using (schema_name, table_name)"
    )
    found = connection.execute(columns).fetchall()
    with_run, of_answers = (
        {table for table, name in found if name == column} for column in ("run_id", "experiment_id")
    )
    return sorted(with_run - of_answers)


def test_an_answer_names_all_that_it_read_by_id_and_weights(asked: Asked) -> None:
    add_decoys(asked.database)
    found = asked.find()
    with asked.database.read() as connection:
        stored = dict(connection.execute("select run_id, model_sha256 from runs").fetchall())
    assert found.runs
    if asked.experiment.name != "exposure-bias":  # which keeps its texts apart from runs
        assert {run.run_id: run.model_sha256 for run in found.runs}.items() <= stored.items()
    assert any(run.model_sha256.startswith("dec0") for run in found.runs) == (asked.experiment.name in READS_STORED)
    named = {run.run_id for run in found.runs} | {f"reference:{name}" for name in (OLD, NEW)}
    run_ids = (getattr(row, "run_id", None) for rows in found.rows for row in rows)
    assert set(filter(None, run_ids)) <= named  # a row of several runs has no id
    alone = asked.found  # of a database that has only the runs that were asked for
    if asked.experiment.name in {*READS_STORED, "corpora"}:  # whose rows name a folder beside the database
        keep_only(asked.database, named)
        alone = asked.find()
    assert alone
    assert (alone.rows, alone.verdict, alone.words) == (found.rows, found.verdict, found.words)


@pytest.mark.parametrize("first", of(BY_EACH_WAY), indirect=True, ids=lambda one: one.name)
def test_an_overwritten_checkpoint_is_another_model(asked: Asked) -> None:
    first = asked.answered
    overwrite(asked.checkpoint)
    second, _ = asked.keep()
    before, after = (named_in(experiments.stored(asked.database, name)) for name in (first, second))
    old, new = ({run.model_sha256 for run in runs} for runs in (before, after))
    assert first != second
    assert (old < new) if asked.experiment.name in READS_STORED else not old & new
    told = labels(after)
    for run in after:
        others = [other for other in after if other.model == run.model and other.model_sha256 != run.model_sha256]
        assert all(told[run.run_id] != told[other.run_id] for other in others)


@pytest.mark.parametrize("first", of({SCORES_RUNS, SCORES_NONE}), indirect=True, ids=lambda one: one.name)
def test_an_answer_says_which_runs_are_claims(asked: Asked) -> None:
    """Numbers that another person brought are read as any others, and the answer does not hide it. It is not the answer
    that was stored when they were one's own."""
    with asked.database.write() as connection:
        connection.execute(
            "insert into origins select run_id, evaluator_id, 'pull', '', now() from scorings "
            "where not starts_with(run_id, 'reference:')"
        )
        (foreign,) = connection.execute("select count(*) from origins").fetchone() or (0,)
    again, _ = asked.keep()
    assert (foreign > 0) == (asked.experiment.name == SCORES_RUNS)
    assert (again != asked.answered) == (foreign > 0)
    told = experiments.stored(asked.database, again).words
    assert any(" numbers that are claimed (" in sentence for sentence in told) == (foreign > 0)


def test_labels_tell_weights_of_one_name_apart() -> None:
    one, other, third = (named_run("a", "x" * 64), named_run("b", "y" * 64), named_run("c", "y" * 64, model="own"))
    assert labels([one, other, third]) == {"a": "toy (weights xxxxxxxx)", "b": "toy (weights yyyyyyyy)", "c": "own"}


def named_run(run_id: str, sha256: str, model: str = "toy") -> AnswerRun:
    return AnswerRun(
        run_id=run_id, snapshot_id=NEW, model=model, model_sha256=sha256, decoder="greedy", dtype="float32",
        backend="hf", seed=0,
    )  # fmt: skip


def test_weights_that_change_between_two_runs_of_an_answer_are_refused() -> None:
    with pytest.raises(TerminalError, match=r"weights of toy changed while it was evaluated \(weights x+, then"):
        require_same_weights([named_run("a", "x" * 64), named_run("b", "y" * 64)])  # type: ignore[list-item]
