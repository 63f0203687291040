"""The last day of what a model can have seen: as people write it, and who is believed."""

from datetime import date, datetime
from pathlib import Path

import pytest

from newwiki.errors import TerminalError, UsageError
from newwiki.knowledge_cutoff import ORIGINS, KnowledgeCutoff, known_cutoff, last_day
from newwiki.request import EvaluationRequest, ScoringRequest
from newwiki.training.record import Trained, TrainingRecord, read, set_sha256, write

JUNE = date(2026, 6, 30)


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("2025-06", date(2025, 6, 30)), ("2024-02", date(2024, 2, 29)), ("2025-12", date(2025, 12, 31)),
        ("2025-06-17", date(2025, 6, 17)), (date(2025, 6, 17), date(2025, 6, 17)),
    ],
)  # fmt: skip
def test_a_month_means_its_last_day(said: object, day: date) -> None:
    assert last_day(said) == day


@pytest.mark.parametrize("said", ["2025", "2025-13", "2025-06-31", "June 2025", "", 2025, None, datetime(2025, 6, 1)])
def test_anything_else_is_refused(said: object) -> None:
    with pytest.raises(ValueError, match="is neither a month nor a day; write it as 2025-06 or 2025-06-30"):
        last_day(said)


def test_a_request_refuses_it_by_the_name_of_its_option() -> None:
    with pytest.raises(UsageError, match="--knowledge-cutoff: 'soon' is neither a month nor a day"):
        EvaluationRequest(models=("m",), decoder=("greedy",), knowledge_cutoff="soon")
    with pytest.raises(UsageError, match=r"--knowledge-cutoff applies to a FILE\.jsonl only: for a stored run"):
        ScoringRequest(run=("abc",), knowledge_cutoff="2025-06")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkpoint's, with a record of a training that began with a model whose cutoff was known, and a card."""
    card(tmp_path, "knowledge_cutoff: 2026-09")
    trained(tmp_path, latest=date(2026, 6, 12), base=date(2025, 12, 31))
    return tmp_path


def card(folder: Path, *lines: str) -> None:
    (folder / "README.md").write_text("\n".join(["---", "license: mit", *lines, "---", "# A model"]))


def trained(folder: Path, latest: date | None, base: date | None, before: TrainingRecord | None = None) -> None:
    articles = [Trained("enwiki", 1, "One", "f" * 64)]
    request = {"snapshots": [], "training_set_sha256": set_sha256(articles)}
    write(TrainingRecord(request, articles, "gpt2", before, latest_text=latest, base_cutoff=base), folder)


def test_what_is_asked_goes_before_the_file_before_the_training_before_the_card(folder: Path) -> None:
    configured = {"m": date(2026, 7, 1)}
    assert known_cutoff("m", "2026-08", configured, folder) == KnowledgeCutoff(date(2026, 8, 31), "asked")
    assert known_cutoff("m", None, configured, folder) == KnowledgeCutoff(date(2026, 7, 1), "newwiki.toml")
    assert known_cutoff("other", None, configured, folder) == KnowledgeCutoff(date(2026, 6, 12), "training")
    (folder / "newwiki_training.json").unlink()
    assert known_cutoff("m", None, {}, folder) == KnowledgeCutoff(date(2026, 9, 30), "model card")
    (folder / "README.md").unlink()
    assert known_cutoff("m", None, {}, folder) is None
    assert ORIGINS == ("asked", "newwiki.toml", "training", "model card")


def test_a_fine_tuned_model_knows_what_its_base_knew_too(folder: Path) -> None:
    trained(folder, latest=date(2020, 1, 1), base=date(2025, 12, 31))
    assert known_cutoff("m", None, {}, folder) == KnowledgeCutoff(date(2025, 12, 31), "training")


def test_where_the_bases_cutoff_is_not_known_what_was_read_here_is_a_bound_and_no_cutoff(tmp_path: Path) -> None:
    trained(tmp_path, latest=date(2026, 6, 12), base=None)
    assert known_cutoff("m", None, {}, tmp_path) is None
    assert known_cutoff("m", "2026-06", {}, tmp_path) == KnowledgeCutoff(JUNE, "asked")
    with pytest.raises(
        UsageError, match=r"of 'm' cannot be 2026-05-31 \(asked\): it was trained here on texts up to 2026-06"
    ):
        known_cutoff("m", "2026-05", {}, tmp_path)
    card(tmp_path, "knowledge_cutoff: 2026-05")
    with pytest.raises(UsageError, match=r"cannot be 2026-05-31 \(model card\)"):
        known_cutoff("m", None, {}, tmp_path)


def test_each_training_adds_to_what_was_read_before_it(tmp_path: Path) -> None:
    trained(tmp_path, latest=date(2026, 6, 12), base=date(2025, 12, 31))
    first = read(tmp_path)
    assert first and first.knowledge_cutoff == date(2026, 6, 12)
    trained(tmp_path, latest=date(2026, 5, 1), base=first.knowledge_cutoff, before=first)
    second = read(tmp_path)
    assert second and (second.read_until, second.knowledge_cutoff) == (date(2026, 6, 12), date(2026, 6, 12))


def test_a_record_of_an_older_version_says_nothing(tmp_path: Path) -> None:
    trained(tmp_path, latest=None, base=None)
    file = tmp_path / "newwiki_training.json"
    older = [line for line in file.read_text().splitlines() if "latest_text" not in line and "base_cutoff" not in line]
    file.write_text("\n".join(older))
    assert known_cutoff("m", None, {}, tmp_path) is None


@pytest.mark.parametrize(
    "line",
    [
        "knowledge_cutoff: 2026-06", "knowledge-cutoff: '2026-06'", "Knowledge Cutoff: 2026-06-30",
        "training_cutoff: 2026-06-30", "training_data_cutoff: 2026-06", "cutoff_date: 2026-06",
    ],
)  # fmt: skip
def test_a_card_may_call_it_by_several_names(tmp_path: Path, line: str) -> None:
    card(tmp_path, line)
    assert known_cutoff("m", None, {}, tmp_path) == KnowledgeCutoff(JUNE, "model card")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["knowledge_cutoff: mid 2026"], r"README\.md': knowledge_cutoff: 'mid 2026' is neither a month nor a day"),
        (["knowledge_cutoff: 2026"], "knowledge_cutoff: '2026' is neither"),
        (["knowledge_cutoff: 2026-06", "cutoff_date: 2026-07"], "knowledge_cutoff, cutoff_date are different days"),
        (["tags: [a"], r"front matter of '.*README\.md' is not YAML of names and values"),
    ],
)
def test_a_card_that_cannot_be_understood_is_named_unless_something_goes_before_it(
    tmp_path: Path, lines: list[str], message: str
) -> None:
    card(tmp_path, *lines)
    with pytest.raises(TerminalError, match=message + r".*\[knowledge_cutoffs\] in newwiki\.toml"):
        known_cutoff("m", None, {}, tmp_path)
    assert known_cutoff("m", "2026-06", {}, tmp_path) == KnowledgeCutoff(JUNE, "asked")


@pytest.mark.parametrize("text", ["", "# A model\n\nknowledge_cutoff: 2026-06\n", "---\nlicense: mit\n---\n"])
def test_a_card_without_the_field_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "README.md").write_text(text)
    assert known_cutoff("m", None, {}, tmp_path) is None
