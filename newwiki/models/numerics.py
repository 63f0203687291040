"""The version of the engine's bytes."""

# Goes up whenever the engine may write other bytes than before for the same request. A test holds it to the source of
# all that decides them (tests/newwiki/models/test_numerics.py).
NUMERICS = 3
