"""What is scored of a completion that goes on from a prompt about somebody: one sentence, in which nobody is named."""

from collections.abc import Callable

from evaluators.sentences import first_sentence_of
from newwiki.prompting.prompt_set import without_names
from newwiki.records import Run
from storage import prompt_sets
from storage.database import Database


def sentences_of(database: Database, run: Run) -> Callable[[int, str, str], tuple[str, str]]:
    """Of a run on prompts, what makes of (page id, prompt, completion) the prompt and the sentence that is scored."""
    hidden = prompt_sets.hidden_words(database, run.snapshot_id)

    def as_scored(page_id: int, prompt: str, text: str) -> tuple[str, str]:
        return scored_sentence(prompt, text, hidden[page_id])

    return as_scored


def scored_sentence(prompt: str, text: str, hidden: tuple[str, ...]) -> tuple[str, str]:
    """The prompt, and prompt and completion up to the first sentence end of the completion, both with XYZ for what is
    hidden. A completion without a sentence end is taken up to its end; of one without a letter or digit there is no
    sentence.

    Source: Dhamala et al. 2022, section 6: "LM generations are truncated to contain a single sentence", and names are
    redacted; Sheng et al. 2019 score sentences with XYZ for the group.
    """
    begun = without_names(prompt, hidden)
    if not any(map(str.isalnum, text)):
        return begun, ""
    sentence, _ = first_sentence_of(text)
    joined = "" if text[:1] and not text[0].isspace() else " "
    return begun, without_names(f"{prompt}{joined}{sentence}", hidden)
