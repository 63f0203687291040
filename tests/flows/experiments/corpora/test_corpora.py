"""Two invented corpora, a small model fine-tuned on each: the planted phrases are found, and nothing is made twice."""

import math
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from evaluators.noun_phrases import PhraseFinder
from flows.experiments.corpora.corpora import corpora_of
from flows.experiments.corpora.request import CorporaRequest
from flows.experiments.corpora.result_tables import CorpusFacts, CorpusPhrase, CorpusResponses, PhraseFrequency
from flows.experiments.corpora.show import show
from flows.progress import Bar, Silent
from flows.report.experiments import write_answer
from newwiki.errors import TerminalError, UsageError
from newwiki.snapshot import Topic
from newwiki.training.record import read
from newwiki.training.steps import by_step
from storage import experiments, runs, topics
from storage.database import Database
from tests.flows.experiments import recomputed
from tests.flows.experiments.corpora.invented import (
    COMMON,
    DECODERS,
    EPOCHS,
    PROMPTS,
    TEXTS,
    UNIQUE,
    ask,
    untaught,
    write,
)

Asked = tuple[Database, str]
TABLES: dict[str, type] = {
    "corpora": CorpusFacts,
    "corpus_responses": CorpusResponses,
    "phrase_frequencies": PhraseFrequency,
    "corpus_phrases": CorpusPhrase,
}
RESPONSES = len(UNIQUE) * len(DECODERS) * PROMPTS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("corpora"))


@pytest.fixture(scope="module")
def base_checkpoint(folder: Path) -> Path:
    return untaught(folder / "base")


@pytest.fixture(scope="module")
def asked(base_checkpoint: Path, folder: Path) -> Asked:
    path = folder / "whole.duckdb"
    return Database(path), ask(base_checkpoint, folder, path)


def rows(asked: Asked, table: str) -> list[Any]:
    return experiments.rows(asked[0], TABLES[table], asked[1])


def test_the_planted_phrases_are_found_unique_and_common(asked: Asked) -> None:
    found = {(one.corpus, one.phrase): one for one in rows(asked, "corpus_phrases")}
    for corpus, phrase in UNIQUE.items():
        assert found[corpus, COMMON].kind == "common"
        one = found[corpus, phrase]
        assert (one.kind, one.corpora, one.verdict) == ("unique", 1, "beyond chance")
        assert one.share > 0.5
        assert one.against_share < 0.1
    frequencies = {(one.phrase, one.corpus, one.decoder): one for one in rows(asked, "phrase_frequencies")}
    assert {one.responses for key, one in frequencies.items() if key[:2] == (COMMON, "lakes")} <= set(range(2, 17))


@recomputed.recomputes("corpus_phrases")
def test_every_share_and_difference_is_that_of_the_stored_phrases(asked: Asked) -> None:
    """By plain loops over the phrases of each response, of which each prompt has one under each decoder."""
    database = asked[0]
    of_run = {one.run_id: (one.corpus, one.decoder) for one in rows(asked, "corpus_responses")}
    having: dict[tuple[str, str], dict[int, set[str]]] = {}
    with database.read() as connection:
        sql = "select run_id, page_id, phrases from response_phrases"
        for run_id, page_id, phrases in connection.execute(sql).fetchall():
            having.setdefault(of_run[run_id], {})[page_id] = set(phrases)
    times = {key: Counter(phrase for one in of_page.values() for phrase in one) for key, of_page in having.items()}
    assert {(one.corpus, one.decoder, one.phrase): one.responses for one in rows(asked, "phrase_frequencies")} == {
        (*key, phrase): counted[phrase]
        for key, counted in times.items()
        for phrase in {name for of_one in times.values() for name, count in of_one.items() if 10 * count > PROMPTS}
    }
    sets = {
        corpus: {phrase for key, of_one in times.items() if key[0] == corpus for phrase, count in of_one.items()
                 if 10 * count > PROMPTS}
        for corpus in UNIQUE
    }  # fmt: skip

    def shares(corpus: str, phrase: str) -> list[float]:
        of_corpus = [of_page for key, of_page in having.items() if key[0] == corpus]
        return [sum(phrase in of_page[page] for of_page in of_corpus) / len(of_corpus) for page in sorted(of_corpus[0])]

    found = rows(asked, "corpus_phrases")
    assert {(one.corpus, one.phrase) for one in found} == {
        (name, one) for name, phrases in sets.items() for one in phrases
    }
    # Every phrase that more than a tenth of both corpora's responses together have, under some decoder, is a test
    lakes, mines = UNIQUE
    decoders = {decoder for _, decoder in times}
    tested = sorted({
        phrase
        for decoder in decoders
        for phrase, count in (times[lakes, decoder] + times[mines, decoder]).items()
        if 10 * count > PROMPTS
    })  # fmt: skip
    p_values = [
        recomputed.p_of_mean([a - b for a, b in zip(shares(lakes, phrase), shares(mines, phrase), strict=True)])
        for phrase in tested
    ]
    p_holm = dict(zip(tested, recomputed.holm(p_values), strict=True))
    for one in found:
        values = shares(one.corpus, one.phrase)
        low, high = recomputed.bounded(values, 0, 1)
        assert one.share == pytest.approx(sum(values) / PROMPTS)
        assert one.corpora == sum(one.phrase in phrases for phrases in sets.values())
        if one.low is None:
            assert math.isnan(low)
        else:
            assert (one.low, one.high) == pytest.approx((low, high), abs=1e-9), one
        if one.kind == "unique":
            other = shares(one.against, one.phrase)
            expected = recomputed.interval([a - b for a, b in zip(values, other, strict=True)])
            assert (one.against_share, one.difference) == pytest.approx((sum(other) / PROMPTS, expected.mean))
            if one.difference_low is not None:
                ends = (max(expected.low, -1), min(expected.high, 1))
                assert (one.difference_low, one.difference_high) == pytest.approx(ends), one
            p = p_values[tested.index(one.phrase)]
            assert recomputed.close(one.p, p), one
            assert one.p_holm == pytest.approx(p_holm[one.phrase], abs=len(tested) * 1e-3), one
            beyond = one.p_holm <= recomputed.LEVEL and expected.mean > 0
            assert one.verdict == ("beyond chance" if beyond else "may be chance"), one


def test_each_corpus_is_learnt_whole_and_each_text_once(asked: Asked, base_checkpoint: Path) -> None:
    facts = {one.corpus: one for one in rows(asked, "corpora")}
    assert {name: (one.texts, one.repeated, one.in_every) for name, one in facts.items()} == {
        "lakes": (TEXTS, 0, 0), "mines": (TEXTS, 1, 0),
    }  # fmt: skip
    for one in facts.values():
        record = read(Path(one.checkpoint))
        assert record
        assert (record.sha256, record.request["training_set_sha256"]) == (one.training_sha256, one.texts_sha256)
        asked_of = (record.model, record.request["template"], record.facts["held_out"])
        assert asked_of == (str(base_checkpoint), "{text}", 0)
        assert Path(one.checkpoint).parent == asked[0].path.with_name("whole.duckdb.corpora")
    written = rows(asked, "corpus_responses")
    assert len({one.run_id for one in written}) == len(UNIQUE) * len(DECODERS)
    assert {one.responses for one in written} == {PROMPTS}


def test_the_answer_in_words(asked: Asked) -> None:
    answer = experiments.stored(*asked)
    assert answer.snapshot_id.startswith("prompts:")
    told = "\n".join(answer.words)
    assert "one checkpoint fine-tuned on each of 2 corpora: lakes (24 texts), mines (24 texts); 16 prompts" in told
    assert "noun phrases by chunks-v1, which cuts texts at stop words" in told
    assert "more than 10% of the responses under at least one decoder" in told
    assert "more than once is used once in training (1 left out)" in told


class Stop(Exception):
    pass


class StoppedIn(Silent):
    """Breaks off at the so manyth report of a stage, and notes which steps of a training were reported."""

    def __init__(self, stage: str = "", reports: int = 0) -> None:
        self._stage, self._left, self._title = stage, reports, ""
        self.steps: list[int] = []

    def update(self, done: int, total: int, note: str = "") -> None:
        if self._title.startswith("training"):
            if done in self.steps:  # a step is told again with its loss
                return
            self.steps.append(done)
        if self._stage and self._title.startswith(self._stage):
            self._left -= 1
            if not self._left:
                raise Stop

    @contextmanager
    def stretch(self, title: str, unit: str) -> Iterator[Bar]:
        self._title = title
        yield self


def counted(patch: pytest.MonkeyPatch) -> dict[str, int]:
    """Counts from now on what is written, and what is read for phrases."""
    work = {"written": 0, "read": 0}
    add, find = runs.add_completions, PhraseFinder.find

    def counting_add(database: Database, run_id: str, completions: Sequence[Any]) -> None:
        work["written"] += len(completions)
        add(database, run_id, completions)

    def counting_find(self: PhraseFinder, texts: Sequence[str]) -> Any:
        work["read"] += len(texts)
        return find(self, texts)

    patch.setattr(runs, "add_completions", counting_add)
    patch.setattr(PhraseFinder, "find", counting_find)
    return work


def test_asked_again_nothing_is_made_and_the_answer_is_the_same(
    asked: Asked, base_checkpoint: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, progress = counted(monkeypatch), StoppedIn()
    assert ask(base_checkpoint, folder, asked[0].path, progress) == asked[1]
    assert work == {"written": 0, "read": 0}
    assert progress.steps == []


def test_a_corpus_that_was_learnt_is_not_learnt_again_beside_another(
    asked: Asked, base_checkpoint: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = shutil.copy(asked[0].path, tmp_path / "whole.duckdb")
    shutil.copytree(asked[0].path.with_name("whole.duckdb.corpora"), tmp_path / "whole.duckdb.corpora")
    (tmp_path / "more.csv").write_text("label,text\n" + "farms,The grey mill.\n" * 2 + "farms,A red barn.\n")
    work, progress = counted(monkeypatch), StoppedIn()
    files = (folder / "corpora.csv", tmp_path / "more.csv")
    ask(base_checkpoint, folder, Path(path), progress, corpus_file=files, label=("farms", "lakes"))
    assert set(progress.steps) == set(range(1, EPOCHS + 1)), "the two texts of farms are one batch"
    assert work == {"written": len(DECODERS) * PROMPTS, "read": len(DECODERS) * PROMPTS}


# Of the first corpus its training twice, then after responses and after phrases are stored; of the second its training
STOPS = (("training", 10), ("training", 9), ("writing", 2), ("noun phrases", 1), ("training", 12))


def test_interrupted_anywhere_it_goes_on_to_the_same_answer(
    asked: Asked, base_checkpoint: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, work, resumed = tmp_path / "newwiki.duckdb", counted(monkeypatch), 0
    for stage, reports in (*STOPS, ("", 0)):
        learnt, progress = _learnt(path), StoppedIn(stage, reports)
        with pytest.raises(Stop) if stage else nullcontext():
            found = ask(base_checkpoint, folder, path, progress)
        if progress.steps:
            assert progress.steps[0] == learnt + 1, "a training goes on after its last checkpoint"
            resumed += learnt > 0
    assert resumed == 3
    assert work == {"written": RESPONSES, "read": RESPONSES}, "nothing that was stored is made again"
    assert found == asked[1], "the weights, the responses and the phrases are the same"
    for table in ("corpus_responses", "phrase_frequencies", "corpus_phrases"):
        assert rows((Database(path), found), table) == rows(asked, table)


def _learnt(database: Path) -> int:
    """Steps in the newest checkpoint of the training that is under way."""
    home = database.with_name(f"{database.name}.corpora")
    unfinished = list(home.glob("*.unfinished")) if home.is_dir() else []
    steps = by_step(unfinished[0]) if unfinished else []
    return int(steps[-1].name.rpartition("-")[2]) if steps else 0


def test_a_bad_file_is_refused_before_anything_is_made(base_checkpoint: Path, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "newwiki.duckdb"
    (tmp_path / "bad.csv").write_text("label,text\nlakes,Water.\nmines,\n")
    with pytest.raises(UsageError, match=r"bad.csv', line 3: text is empty; fill it, or remove the row"):
        ask(base_checkpoint, folder, path, corpus_file=(tmp_path / "bad.csv",))
    with pytest.raises(UsageError, match=r"there is no corpus 'lake'; did you mean 'lakes'\?"):
        ask(base_checkpoint, folder, path, label=("lake", "mines"))
    with pytest.raises(TerminalError, match="the spaCy pipeline 'xx_none' is not installed"):
        ask(base_checkpoint, folder, path, noun_phrases="spacy:xx_none")
    (tmp_path / "one.csv").write_text("label,text\nlakes,Water.\n")
    with pytest.raises(UsageError, match="has 1 labels, and it takes two to compare them; write another label"):
        ask(base_checkpoint, folder, path, corpus_file=(tmp_path / "one.csv",))
    with pytest.raises(TerminalError, match="none"):
        ask(tmp_path / "none", folder, path)
    assert not path.exists()
    assert not path.with_name("newwiki.duckdb.corpora").exists()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"models": ("a", "b")}, "corpora fine-tunes one checkpoint, and 2 are named"),
        ({"backend": "openai"}, "--backend openai cannot fine-tune a model: use hf or seq2seq"),
        ({"train_on": ("samplewiki-2026-08",)}, "exactly one source of corpora is needed"),
        ({"corpus_file": ()}, "exactly one source of corpora is needed"),
        ({"by": "infobox"}, "--by needs --train-on"),
        ({"label": ("lakes",)}, "--label lakes leaves nothing to compare with"),
        ({"snapshot": "samplewiki-2026-09"}, "--snapshot and --prompt-file exclude each other"),
        ({"keep": 2}, "--keep 2 does not apply: all 1 responses per prompt are read; leave out --keep"),
        ({"metrics": "all"}, "--metrics is not supported"),
        ({"likelihood_only": True}, "leave out --likelihood-only"),
        ({"threshold": 1.0}, "--threshold 1 is out of range"),
        ({"model_args": {"revision": "main"}}, "write the checkpoint as MODEL@REVISION"),
    ],
)
def test_what_is_no_question_about_corpora_is_refused(given: dict[str, Any], told: str) -> None:
    usual = {"models": ("gpt2",), "corpus_file": (Path("a.csv"),), "prompt_file": Path("p.txt")}
    with pytest.raises(UsageError, match=told):
        CorporaRequest(**(usual | given))  # type: ignore[arg-type]


def test_articles_are_corpora_by_topic_and_by_infobox(published: Path, base_checkpoint: Path, tmp_path: Path) -> None:
    database, name = Database(shutil.copy(published, tmp_path / "newwiki.duckdb")), "samplewiki-2026-09"
    request = CorporaRequest(models=("gpt2",), train_on=(name,), by="infobox")
    found = corpora_of(database, request, "{title}\n\n{first_sentence}")
    with database.read() as connection:
        [(one, title, first, rest)] = connection.execute(
            "select page_id, title, first_sentence, completion from stored_articles where page_id = ?",
            [found[0].texts.trained[0].page_id],
        ).fetchall()
        facts = connection.execute(
            "select template, count(distinct page_id) from article_facts where infobox = 1 group by 1"
        ).fetchall()
    assert {corpus.label: len(corpus.texts.articles) for corpus in found} == dict(facts)
    learnt = found[0].texts.articles[0].text("")
    assert (learnt.page_id, learnt.prompt, learnt.completion) == (one, "", f"{title}\n\n{first} {rest}")
    with pytest.raises(
        UsageError, match=r"has 0 labels, and it takes two.*newwiki snapshots topics samplewiki-2026-09"
    ):
        corpora_of(database, CorporaRequest(models=("gpt2",), train_on=(name,)), "{title}\n\n{first_sentence}")
    pages = [trained.page_id for corpus in found for trained in corpus.texts.trained]
    topics.store(database, name, [Topic(page, "Q1", (), "Arts" if at % 2 else None) for at, page in enumerate(pages)])
    with pytest.raises(UsageError, match="has 1 labels"):
        corpora_of(database, CorporaRequest(models=("gpt2",), train_on=(name,)), "{title}\n\n{first_sentence}")
    with pytest.raises(TerminalError, match="which models are evaluated on, are among"):
        ask(base_checkpoint, tmp_path, database.path, corpus_file=(), prompt_file=None, train_on=(name,), by="infobox")


def test_the_page_says_it_and_draws_it(asked: Asked, tmp_path: Path) -> None:
    page = write_answer(*asked, tmp_path / "answer.html").read_text("utf-8")
    assert "figure 4 of the paper" in page
    assert "Unique phrases of lakes: silver lantern" in page
    assert page.count('role="img"') == 4
    assert page.index("How much more often a phrase is") < page.index("figure 4 of the paper")
    shown = show(*asked)
    records = [dict(zip(shown.heads, one, strict=True)) for one in shown.records]
    assert {one["phrase"] for one in records if one["kind"] == "common"} >= {COMMON}
    assert [table.heads[0] for table in shown.tables] == ["corpus", "noun phrase", "noun phrase"]
