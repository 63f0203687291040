"""A list of modules from somebody else names no code."""

from pathlib import Path

import pytest

from evaluators.networks.embedder_files import loaded_files
from newwiki.errors import TerminalError


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[{"type": "evil.Module", "path": ""}]', "a module of the type 'evil.Module', whose code"),
        ('[{"type": "sentence_transformers_evil.M", "path": ""}]', "whose code newwiki would have to run"),
        ('[{"type": "sentence_transformers.models.StaticEmbedding", "path": ""}]', "names a StaticEmbedding"),
        ('[{"type": "sentence_transformers.M", "type": "evil.M", "path": ""}]', "is not a list of modules"),
        ('[{"path": ""}]', "is not a list of modules"),
        ("[" * 10_000, "is not a list of modules"),
    ],
)
def test_a_list_of_modules_that_names_code_is_refused(tmp_path: Path, content: str, message: str) -> None:
    for name in ("model.safetensors", "tokenizer.json"):
        (tmp_path / name).touch()
    (tmp_path / "modules.json").write_text(content)
    with pytest.raises(TerminalError, match=message):
        loaded_files(tmp_path, "it")
