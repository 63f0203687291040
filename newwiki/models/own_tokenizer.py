"""Check that a tokenizer splits texts as the `tokenizer.json` of its checkpoint does.

transformers builds some tokenizers anew from their class, and then the model reads other tokens than those on which it
was trained, without an error.
"""

from pathlib import Path
from typing import Any

from newwiki.errors import TerminalError

FILE = "tokenizer.json"
_TEXTS = (
    "The town of Grauven, founded in 1890, is old.",
    "It's 3.14159 or 12,345,678; they'll say 1/2 – don't we?",
    "  two  spaces, a\ttab,\n\na paragraph\r\nand a line \n",
    "Łódź, Ōsaka, İstanbul, naïve café, Å and A\u030a, ﬁve ½",
    "Москва, Αθήνα, 東京は日本の首都です。서울 กรุงเทพ दिल्ली",
    "القاهرة هي عاصمة مصر, ירושלים 1948",
    "🏔️ 👩‍👩‍👧 🇨🇭 e=mc² [1] {x: y} <b>bold</b> https://example.org/a_b?c=d#e",
    "CamelCase snake_case ALLCAPS --- ... ''quoted'' \"said\" `code`",
)  # fmt: skip


def as_in_file(name: str, folder: Path, tokenizer: Any, *, take_file: bool) -> Any:
    """Return the tokenizer if it agrees with the folder's `tokenizer.json` on hard texts, or if there is no such file.

    With `take_file`, the tokenizer of that file replaces it. Raises TerminalError if the two differ otherwise.
    """
    file = folder / FILE
    if not file.is_file() or not tokenizer.is_fast:
        return tokenizer
    from tokenizers import Tokenizer

    own = Tokenizer.from_file(str(file))
    own.no_truncation()  # the file keeps what was asked for when it was saved
    own.no_padding()
    if take_file:
        tokenizer._tokenizer = own
        return tokenizer
    for text in _TEXTS:
        ours, theirs = (
            tokenizer(text, add_special_tokens=False)["input_ids"],
            own.encode(text, add_special_tokens=False),
        )
        if ours != theirs.ids:
            raise TerminalError(
                f"the tokenizer of '{name}', as transformers builds it ({type(tokenizer).__name__}), makes {len(ours)} "
                f"tokens of '{text[:45]}', and its {FILE} makes {len(theirs.ids)}; take the file's with --model-args "
                "tokenizer_json=yes, or correct tokenizer_class in tokenizer_config.json"
            )
    return tokenizer
