"""What a checkpoint was trained on stands beside it, and cannot be changed unseen."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from newwiki.errors import TerminalError
from newwiki.snapshot import Article
from newwiki.training.record import FILE, Trained, TrainingRecord, read, set_sha256, shared, write

ORLOW = Trained("enwiki", 7, "Orlow", "a" * 64)
GRAUVEN = Trained("enwiki", 8, "Grauven", "b" * 64)


def made(*articles: Trained, seed: int = 0, before: TrainingRecord | None = None) -> TrainingRecord:
    snapshots = [{"snapshot_id": f"enwiki-{articles[0].title}", "content_sha256": "c" * 64}]
    request = {"snapshots": snapshots, "training_set_sha256": set_sha256(articles), "seed": seed}
    return TrainingRecord(request, list(articles), "gpt2", before, ["enwiki-2026-09"], {"learnt": 1})


def article(page_id: int, title: str, text_sha256: str) -> Article:
    day = datetime(2026, 9, 1, tzinfo=UTC)
    return Article(
        page_id=page_id,
        rev_id=1,
        title=title,
        created_at=day,
        revised_at=day,
        revisions=10,
        words=500,
        first_sentence="It is.",
        completion="It was.",
        text_sha256=text_sha256,
    )


def test_what_is_written_is_read(tmp_path: Path) -> None:
    record = made(ORLOW, before=made(GRAUVEN))
    write(record, tmp_path)
    assert read(tmp_path) == record
    assert read(tmp_path / "elsewhere") is None


def test_the_hash_of_a_training_set_depends_on_its_texts_but_not_on_their_order() -> None:
    assert set_sha256([ORLOW, GRAUVEN]) == set_sha256([GRAUVEN, ORLOW])
    assert set_sha256([ORLOW]) != set_sha256([replace(ORLOW, text_sha256="b" * 64)])


def test_the_name_of_a_training_is_what_decides_the_weights_and_nothing_else() -> None:
    assert made(ORLOW).sha256 == replace(made(ORLOW), model="moved/gpt2", checked_against=[], facts={}).sha256
    assert made(ORLOW).sha256 != made(ORLOW, seed=1).sha256
    assert made(ORLOW).sha256 != made(GRAUVEN).sha256


def test_an_article_is_recognized_by_page_title_or_text() -> None:
    same_page, same_title = article(7, "Orlow (town)", "1" * 64), article(70, "Orlow", "2" * 64)
    same_text, another = article(71, "Aurlow", "a" * 64), article(72, "Vennick", "3" * 64)
    everything = [same_page, same_title, same_text, another]
    assert shared([ORLOW], "enwiki", everything) == [same_page, same_title, same_text]
    assert shared([ORLOW], "dewiki", everything) == [same_text], "another wiki numbers and names pages in its own way"
    assert shared([], "enwiki", everything) == []


def test_what_the_base_has_read_counts() -> None:
    record = made(ORLOW, before=made(GRAUVEN))
    assert record.everything == [ORLOW, GRAUVEN]
    assert record.snapshots == ["enwiki-Orlow", "enwiki-Grauven"]


@pytest.mark.parametrize("change", ["articles", "request", "cut", "empty"])
def test_a_record_that_was_changed_is_refused(tmp_path: Path, change: str) -> None:
    write(made(ORLOW, GRAUVEN), tmp_path)
    text = (tmp_path / FILE).read_text("utf-8")
    values = json.loads(text)
    if change == "articles":
        values["articles"].pop()
    if change == "request":
        values["request"]["seed"] = 1
    changed = {"cut": text[:-40], "empty": "{}"}.get(change, json.dumps(values))
    (tmp_path / FILE).write_text(changed)
    with pytest.raises(TerminalError, match=r"it is unknown what the model was trained on; restore the original"):
        read(tmp_path)
