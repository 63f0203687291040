"""Read the user's own prompts about nobody in particular: a text file with one prompt per line."""

from pathlib import Path

from newwiki.errors import UsageError
from newwiki.prompting.prompt_files import read_text
from newwiki.prompting.prompt_set import GroupPrompt, PromptSet


def read_prompt_list(path: Path) -> PromptSet:
    """Read one prompt per line, without duplicates and empty lines. Raises UsageError for another kind of file, and for
    a file without prompts."""
    if path.suffix != ".txt":
        raise UsageError(f"'{path}' is not a prompt list; pass a .txt file with one prompt per line")
    lines = dict.fromkeys(filter(None, map(str.strip, read_text(path).split("\n"))))
    if not lines:
        raise UsageError(f"'{path}' holds no prompts; write one per line")
    return PromptSet(path.name, [GroupPrompt(category="", group_name="", prompt=line) for line in lines])
