"""Let a spaCy pipeline multiply matrices by NumPy, which takes a third of the time."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from thinc.api import Model
    from threadpoolctl import ThreadpoolController


def multiply_by_numpy(nlp: Language) -> None:
    """Compute the pipeline's token vectors by NumPy's library from now on, one text at a time.

    BLIS, the library of spaCy's wheels, uses no instructions of a particular processor there. NumPy's does, but rounds
    by the number of rows. So each text's rows are multiplied alone, and a text's vectors are the same in every batch.
    They differ from those by BLIS by rounding only (2e-6 at most in 164 texts).
    """
    for _, component in nlp.pipeline:
        model: Any = getattr(component, "model", None)
        for vectors in _token_vectors(model):
            alone = _one_text_at_a_time(vectors)
            if vectors is model:
                component.model = alone
            else:
                model.replace_node(vectors, alone)


def one_thread() -> AbstractContextManager[object]:
    """Limit NumPy's library to one thread: it rounds by the number of threads too."""
    limit: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limit


@cache
def _libraries() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _token_vectors(model: Any) -> list[Model[list[Doc], list[Any]]]:
    """Return spaCy's `Tok2Vec` layers, which embed and encode the tokens of each text."""
    nodes = model.walk() if hasattr(model, "walk") else ()
    return [node for node in nodes if node.has_ref("embed") is True and node.has_ref("encode") is True]


def _one_text_at_a_time(vectors: Model[list[Doc], list[Any]]) -> Model[list[Doc], list[Any]]:
    from thinc.api import Model, NumpyOps

    def forward(model: Model[list[Doc], list[Any]], texts: Sequence[Doc], is_train: bool) -> tuple[list[Any], None]:
        return [vectors.predict([text])[0] for text in texts], None

    for node in vectors.walk():
        node.ops = NumpyOps(use_blis=False)
    return Model("one_text_at_a_time", forward, layers=[vectors], dims={"nO": vectors.get_dim("nO")})
