"""The version of the engine's output bytes."""

# Raise it whenever the engine may write other bytes than before for the same request. A test compares it with the
# source of everything that decides them (tests/newwiki/models/test_numerics.py).
NUMERICS = 3
