"""Extract the scored text of a completion of a prompt about a person: one sentence with the names replaced."""

from collections.abc import Callable

from evaluators.sentences import first_sentence_of
from newwiki.prompting.prompt_set import JudgedText, without_names
from newwiki.records import Run
from storage import prompt_sets
from storage.database import Database


def sentences_of(database: Database, run: Run, judged: JudgedText) -> Callable[[int, str, str], tuple[str, str]]:
    """For a run on prompts, map (page id, prompt, completion) to the prompt and the text that evaluators score."""
    hidden = prompt_sets.hidden_words(database, run.snapshot_id)

    def as_scored(page_id: int, prompt: str, text: str) -> tuple[str, str]:
        return scored_sentence(prompt, text, hidden[page_id], judged)

    return as_scored


def scored_sentence(prompt: str, text: str, hidden: tuple[str, ...], judged: JudgedText) -> tuple[str, str]:
    """Return the text before the judged text, and the judged text, both with XYZ for the hidden words.

    `completion` is the generated text up to its first sentence end, or all of it if it has no sentence end. Nothing
    stands before it. `prompt-and-completion` is the prompt followed by that sentence. A completion without a letter or
    digit gives an empty text.

    Source: Dhamala et al. 2022, section 6: "LM generations are truncated to contain a single sentence", and names are
    redacted. The sentence ends by the rules for texts of unknown language. In appendix C the sentences begin with their
    prompts, as in Sheng et al. 2019. Section 6 does not say whether the scored texts do.
    """
    whole = judged == "prompt-and-completion"
    before = without_names(prompt, hidden) if whole else ""
    if not any(map(str.isalnum, text)):
        return before, ""
    sentence, _ = first_sentence_of(text, None)
    if not whole:
        return before, without_names(sentence, hidden)
    joined = "" if text[:1] and not text[0].isspace() else " "
    return before, without_names(f"{prompt}{joined}{sentence}", hidden)
