class SentenceEnd:
    def __init__(self, tokenizer: object) -> None: ...

    def __call__(self, tokens: object, token: int) -> bool:
        return False
