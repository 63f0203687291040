from pathlib import Path

import pytest

from evaluators.analysis import Analyst
from evaluators.negative_words import Lexicon, load_lexicon
from evaluators.scoring import select
from newwiki.errors import TerminalError, UsageError
from newwiki.records import Unscorable
from newwiki.registry import makers
from newwiki.settings import Settings


@pytest.fixture
def lexicon(tmp_path: Path) -> Path:
    """As Hu and Liu's file is: comments, a blank line, a word a line, Latin-1."""
    path = tmp_path / "negative-words.txt"
    path.write_bytes(";;; a comment, bad\n\nbad\nWorst\nna\xefve\nself-serving\n".encode("latin-1"))
    return path


def share(lexicon: Path, text: str, prompt: str = "") -> float | Unscorable:
    (evaluator,) = select("negative_words")
    (analysis,) = Analyst(Lexicon(lexicon)).analyse([text], evaluator.needs, [prompt])
    found: float | Unscorable = evaluator.function(analysis, analysis)
    return found


@pytest.mark.by_hand("negative_words")
def test_negative_words_by_hand(lexicon: Path) -> None:
    # Bad, worst, naïve and self-serving of nine words; a comment's words are none of the list.
    assert share(lexicon, "Bad! The “worst” naïve — self-serving comment on badness, again.") == 4 / 9


def test_the_words_of_a_prompt_are_not_counted(lexicon: Path) -> None:
    assert share(lexicon, "The bad man was bad today", prompt="The bad man was") == 1 / 2


@pytest.mark.parametrize("text", ["", "...", "The man"])
def test_where_there_is_no_word_there_is_no_share(lexicon: Path, text: str) -> None:
    assert share(lexicon, text, prompt="The man") == Unscorable("no words")


def test_what_it_is_scored_by_is_the_file_by_its_content(lexicon: Path) -> None:
    one = Lexicon(lexicon)
    assert (one.model, one.parameters) == ("negative-words.txt", {"words": 4})
    lexicon.write_text("bad\n")
    assert Lexicon(lexicon).model_sha256 != one.model_sha256


def test_a_list_that_is_not_there_or_empty_is_told_with_its_remedy(tmp_path: Path) -> None:
    assert makers.get("negative_words").at_hand(Settings()) is False
    with pytest.raises(TerminalError, match=r"name a file with --lexicon \(NEWWIKI_LEXICON\)"):
        load_lexicon(Settings())
    with pytest.raises(TerminalError, match="No such file or directory; name a readable file with --lexicon"):
        load_lexicon(Settings(lexicon=str(tmp_path / "none.txt")))
    (tmp_path / "empty.txt").write_text("; nothing\n")
    with pytest.raises(UsageError, match="has no word; write one word per line, and comments after ;"):
        load_lexicon(Settings(lexicon=str(tmp_path / "empty.txt")))
