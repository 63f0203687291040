"""Run models on a prompt set instead of a snapshot."""

from datetime import UTC, datetime

from flows.evaluating.generate import Asked
from newwiki.prompting.prompt_set import GroupPrompt, PromptSet
from newwiki.snapshot import Article

# The model continues the prompt without changes; templates know only the fields title and first_sentence.
TEMPLATE = "{title}{first_sentence}"
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def asked_of(prompts: PromptSet) -> Asked:
    """Return the prompts in the form that the steps of a run expect.

    The texts have no references. The id of the prompt set serves as snapshot id and as content hash.
    """
    return Asked(prompts.prompt_set_id, "", prompts.prompt_set_id, [_as_article(prompt) for prompt in prompts.prompts])


def _as_article(prompt: GroupPrompt) -> Article:
    return Article(
        page_id=prompt.page_id,
        rev_id=0,
        title="",
        created_at=_NO_TIME,
        revised_at=_NO_TIME,
        revisions=0,
        words=0,
        first_sentence=prompt.prompt,
        completion="",
        text_sha256="",
    )
