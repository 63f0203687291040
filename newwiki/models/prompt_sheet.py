"""Say what a model is told: a prompt as its tokens spell it, how it begins, and what ends an answer."""

import json
from collections.abc import Collection
from typing import Any

from newwiki.models.prompting import Prompting
from newwiki.records import Prompt


class PromptSheet:
    """Describes prompts of a loaded model. It holds the tokenizer, and not the model."""

    def __init__(self, prompting: Prompting, tokenizer: Any, ends: Collection[int]) -> None:
        self._prompting = prompting
        self._tokenizer = tokenizer
        self._ends = ends

    def of(self, prompt: Prompt) -> str:
        """Return a JSON object about a prompt.

        - `rendered`: the text of the prompt's tokens, with special tokens
        - `ids`: these tokens
        - `bos`: the BOS token with which they begin; null if they begin with none
        - `answer_begins`: the text that begins the answer, after the thinking if there is any; null if there is none
        - `ends`: the tokens that end an answer
        - `thinking`: the marks around the model's thinking, and whether it may think `first`; null if it has none
        - `date`: the day that the chat template got; null if it asked for none
        """
        prompting, marks = self._prompting, self._prompting.marks
        ids = prompting.encode(prompt.text, prompt.begun)
        bos = self._tokenizer.bos_token if ids[:1] == (self._tokenizer.bos_token_id,) else None
        thinking = marks and {"open": marks.open, "close": marks.close, "first": prompting.thinks_first}
        sheet = {
            "rendered": prompting.raw(ids),
            "ids": list(ids),
            "bos": bos,
            "answer_begins": prompt.begun or None,
            "ends": self._tokenizer.convert_ids_to_tokens(sorted(self._ends)),
            "thinking": thinking or None,
            "date": prompting.settings.get("date"),
        }
        return json.dumps(sheet, ensure_ascii=False)
