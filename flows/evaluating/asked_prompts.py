"""A prompt set as what runs are on, in the place of a snapshot."""

from datetime import UTC, datetime

from flows.evaluating.generate import Asked
from newwiki.prompting.prompt_set import GroupPrompt, PromptSet
from newwiki.snapshot import Article

# A prompt is what the model goes on from, as it stands; title and first sentence are what templates know.
TEMPLATE = "{title}{first_sentence}"
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def asked_of(prompts: PromptSet) -> Asked:
    """As the steps of a run know what a model goes on from; there is nothing that its texts are compared with."""
    return Asked(prompts.prompt_set_id, "", prompts.prompt_set_id, [_as_article(one) for one in prompts.prompts])


def _as_article(one: GroupPrompt) -> Article:
    return Article(
        page_id=one.page_id,
        rev_id=0,
        title="",
        created_at=_NO_TIME,
        revised_at=_NO_TIME,
        revisions=0,
        words=0,
        first_sentence=one.prompt,
        completion="",
        text_sha256="",
    )
