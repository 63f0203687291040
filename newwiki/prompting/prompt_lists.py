"""Prompts of one's own that are about nobody in particular: a text file with one a line."""

from pathlib import Path

from newwiki.errors import UsageError
from newwiki.prompting.prompt_files import read_text
from newwiki.prompting.prompt_set import GroupPrompt, PromptSet


def read_prompt_list(path: Path) -> PromptSet:
    """A prompt a line, each once; empty lines are none. Raises UsageError for another kind of file, and where there is
    no prompt."""
    if path.suffix != ".txt":
        raise UsageError(f"'{path}' is no list of prompts; write a .txt with one a line")
    lines = dict.fromkeys(filter(None, map(str.strip, read_text(path).split("\n"))))
    if not lines:
        raise UsageError(f"'{path}': there is no prompt; write one a line")
    return PromptSet(path.name, [GroupPrompt(category="", group_name="", prompt=line) for line in lines])
