"""An evaluation as a user sees it: completions that do not depend on how they were made, and a leaderboard in SQL."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from flows.evaluating.generate import find_models, load_model
from newwiki.decoding.grammar import parse
from newwiki.errors import UsageError
from newwiki.registry import models
from tests.flows import in_process as here
from tests.flows.conftest import Run, environment

pytestmark = pytest.mark.slow

SMALL = ("--prompts", "3", "--samples", "6", "--keep", "3", "--max-new-tokens", "24", "--entities", "rules-v1")
NUCLEUS = "sample:top_p=0.9,top_k=20,temperature=0.9"


def test_completions_are_the_same_bytes_at_any_batch_size(
    in_process: Run, database: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    texts = []
    for size in ("1", "64"):
        path = Path(shutil.copy(database, tmp_path / f"{size}.duckdb"))
        decoders = ("--decoder", NUCLEUS, "--decoder", "greedy", "--decoder", "sample")
        asked = (
            "evaluate",
            toy_checkpoint,
            *decoders,
            *SMALL,
            "--samples",
            "4",
            "--max-new-tokens",
            "12",
            "--metrics",
            "rep_4",
        )
        ended = in_process(*asked, "--batch-size", size, "--db", path)
        assert ended.returncode == 0, ended.stderr
        with duckdb.connect(str(path), read_only=True) as connection:
            texts.append(connection.execute("select * from completions order by run_id, page_id, sample").fetchall())
    assert len(texts[0]) == 3 * 4 * 2 + 3
    assert texts[0] == texts[1]


@pytest.fixture(scope="module")
def evaluated(published: Path, toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database in which the toy was evaluated under two decoders."""
    folder = tmp_path_factory.mktemp("evaluated")
    path = Path(shutil.copy(published, folder / "newwiki.duckdb"))
    asked = ("evaluate", toy_checkpoint, "--decoder", "greedy", "--decoder", NUCLEUS, *SMALL, "--db", path)
    here.run(asked, folder, environment()).check_returncode()
    return path


def test_the_leaderboard_has_one_row_a_run_and_the_articles(
    in_process: Run, evaluated: Path, toy_checkpoint: Path
) -> None:
    ended = in_process("sql", "select * from leaderboard", "--db", evaluated, "--format", "json")
    assert ended.returncode == 0, ended.stderr
    rows = json.loads(ended.stdout)
    assert [(row["model"], row["decoder"], row["prompts"], row["completions"]) for row in rows] == [
        ("Wikipedia", "reference", 3, 3),
        (str(toy_checkpoint), "greedy", 3, 3),
        (str(toy_checkpoint), parse(NUCLEUS)[0].canonical, 3, 9),
    ]
    assert rows[0]["sbert"] == pytest.approx(1)
    assert rows[0]["entity_overlap"] == 1
    assert all(
        len({row[f"{metric}_scored_by"] for row in rows}) == 1 for metric in ("sbert", "rep_4", "entity_overlap")
    )
    for metric in ("flesch_reading_ease", "gunning_fog", "information_density", "distinct_2", "rep_4", "sbert", "bleu"):
        assert {metric, f"{metric}_sd", f"{metric}_low", f"{metric}_high"} <= set(rows[1])


def test_the_longest_completions_are_the_ones_scored(evaluated: Path) -> None:
    with duckdb.connect(str(evaluated), read_only=True) as connection:
        kept = connection.execute(
            "select run_id, page_id, min(words) filter (kept) >= max(words) filter (not kept), count(*) filter (kept) "
            "from completions join runs using (run_id) where samples > 1 group by all"
        ).fetchall()
        scored = connection.execute(
            "select count(*) from scores join completions using (run_id, page_id, sample) where not kept"
        ).fetchall()
    assert len(kept) == 3
    assert all(longest and number == 3 for _, _, longest, number in kept)
    assert scored == [(0,)]


def test_every_score_names_its_evaluator_and_its_model(evaluated: Path) -> None:
    with duckdb.connect(str(evaluated), read_only=True) as connection:
        models = dict(
            connection.execute(
                "select name, model from scores join evaluators using (evaluator_id) group by all"
            ).fetchall()
        )
        orphans = connection.execute("select count(*) from scores anti join evaluators using (evaluator_id)").fetchall()
    assert models["sbert"] == "sentence-transformers/all-MiniLM-L6-v2"
    assert models["entity_overlap"] == "rules-v1"
    assert models["rep_4"] is None
    assert orphans == [(0,)]


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown"])
def test_the_leaderboard_in_every_format(in_process: Run, evaluated: Path, form: str) -> None:
    ended = in_process("leaderboard", "--snapshot", "latest", "--db", evaluated, "--format", form)
    assert ended.returncode == 0, ended.stderr
    assert ("flesch_reading_ease" in ended.stdout) == (form != "markdown"), "Markdown has six metrics"
    assert "bits_per_byte" in ended.stdout
    if form == "csv":
        assert len(list(csv.DictReader(ended.stdout.splitlines()))) == 3
    if form == "json":
        assert len(json.loads(ended.stdout)) == 3
    if form == "markdown":
        assert len(ended.stdout.splitlines()) == 5
    if form == "table":
        assert "±" in ended.stdout


def test_a_metric_of_ones_own_gets_its_columns(
    in_process: Run, evaluated: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(evaluated, tmp_path / "own.duckdb"))
    (tmp_path / "own.py").write_text(
        "from newwiki import Metric, evaluator\n"
        "letters = Metric('letters', 'letters', 0, None, 'none', 'number of characters', 'here')\n"
        "@evaluator(metrics=[letters], version='1')\n"
        "def letter_count(analysis, reference):\n"
        "    return len(analysis.text)\n"
    )
    asked = ("evaluate", toy_checkpoint, "--decoder", "greedy", *SMALL, "--db", path)
    ended = in_process(*asked, "--plugin", "own.py", "--metrics", "letters", "--format", "json")
    assert ended.returncode == 0, ended.stderr
    rows = json.loads(ended.stdout)
    assert [row["letters"] is None for row in rows] == [False, False, True]
    before = json.loads(in_process("leaderboard", "--db", evaluated, "--format", "json").stdout)
    assert [row["rep_4"] for row in rows] == [row["rep_4"] for row in before], "what was scored before stays"


def towns(folder: Path) -> str:
    """A tagger that knows one town."""
    import spacy

    pipeline = spacy.blank("en", meta={"name": "towns", "version": "1.0"})
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "GPE", "pattern": "Vareska"}])
    pipeline.to_disk(folder / "towns")
    return f"spacy:{folder / 'towns'}"


def test_scores_of_another_tagger_stand_apart(
    in_process: Run, evaluated: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    pipeline = towns(tmp_path)
    path = Path(shutil.copy(evaluated, tmp_path / "two.duckdb"))
    asked = (
        "evaluate",
        toy_checkpoint,
        "--decoder",
        "greedy",
        *SMALL[:-1],
        pipeline,
        "--db",
        path,
    )
    ended = in_process(*asked, "--metrics", "information_density")
    assert ended.returncode == 0, ended.stderr
    assert "not shown, as a column holds the numbers of one evaluator: information_density: rules-v1" in ended.stderr
    shown = in_process("leaderboard", "--db", path, "--format", "csv")
    assert shown.returncode == 0, "both runs have numbers from the rules"
    assert "information_density: spacy:en_towns-1.0" in shown.stderr
    with duckdb.connect(str(path), read_only=True) as connection:
        summaries = connection.execute(
            "select run_id, count(distinct evaluator_id) from metric_summaries "
            "where metric = 'information_density' group by run_id"
        ).fetchall()
        stored = connection.execute(
            "select count(distinct evaluator_id) from scores where metric = 'information_density'"
        ).fetchall()
    assert stored == [(2,)]
    assert all(number == 1 for _, number in summaries)


def test_two_runs_by_two_taggers_are_refused_until_all_are_scored_by_one(
    in_process: Run, evaluated: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(evaluated, tmp_path / "two.duckdb"))
    asked = ("evaluate", toy_checkpoint, "--decoder", "sample:top_k=5", *SMALL[:-1], towns(tmp_path), "--db", path)
    ended = in_process(*asked, "--metrics", "information_density", "--format", "json")
    assert ended.returncode == 0, ended.stderr
    rows = json.loads(ended.stdout)
    assert [row["information_density"] is None for row in rows] == [False, True, True, False]
    refused = in_process("leaderboard", "--db", path)
    assert (refused.returncode, refused.stdout) == (1, "")
    for words in ("rules-v1 (evaluator ", "spacy:en_towns-1.0 (evaluator ", rows[1]["run_id"], rows[3]["run_id"]):
        assert words in refused.stderr
    assert "`newwiki score --missing --metrics information_density --entities …`" in refused.stderr
    remedy = ("score", "--missing", "--metrics", "information_density", "--entities", "rules-v1", "--db", path)
    assert in_process(*remedy).returncode == 0
    shown = in_process("leaderboard", "--db", path, "--format", "json")
    assert shown.returncode == 0, shown.stderr
    assert all(row["information_density"] is not None for row in json.loads(shown.stdout))


@pytest.mark.parametrize(
    "ask", [lambda: find_models("mine", ["x"], {"a": "b"}), lambda: load_model("mine", "x", {"a": "b"})]
)
def test_an_argument_that_a_backend_does_not_take_is_the_users_mistake(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[[], object]
) -> None:
    class Mine:
        def __init__(self, name: str) -> None: ...

        @classmethod
        def find(cls, name: str) -> None: ...

    monkeypatch.setitem(models._pieces, "mine", Mine)
    with pytest.raises(UsageError, match=r"backend 'mine' does not take these model arguments: .*'a'"):
        ask()


def test_a_decoder_of_ones_own_that_changed_is_another_run(
    database: Path, toy_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As is a backend, by the code that it is made of."""
    from flows.evaluating.generate import load_model, plan
    from newwiki import registry
    from newwiki.decoding.grammar import parse
    from newwiki.request import EvaluationRequest
    from storage.database import Database

    model, ids = load_model("hf", str(toy_checkpoint), {}), []
    for temperature in (1.0, 2.0, 1.0):
        others = {name: one for name, one in registry.decoders.all().items() if name != "own"}
        monkeypatch.setattr(registry.decoders, "_pieces", others)
        monkeypatch.setattr(registry, "_plugins", [])
        (tmp_path / "own.py").write_text(
            "from newwiki.decoding.decoder import decoder\n"
            "from newwiki.decoding.sample import sample\n"
            "@decoder('own', parameters={}, source='here')\n"
            "def own():\n"
            f"    return sample({temperature}, 0.0, 0.0, 1.0)\n"
        )
        registry.load_plugin(tmp_path / "own.py")
        (decoder,) = parse("own")
        request = EvaluationRequest(models=(str(toy_checkpoint),), decoder=("own",), prompts=1)
        ids.append(plan(Database(database), model, decoder, request).run.run_id)
    assert ids[0] == ids[2] != ids[1]
