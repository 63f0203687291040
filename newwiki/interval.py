"""The constants of an interval, for Python and SQL alike.

The interval of a mean is computed in two places: in Python by `evaluators/statistics.py`, for differences and tests,
and in SQL by the macros of `storage/sql/views/02_scores.sql`, for stored summaries. Both take the numbers below from
here; `storage/migrate.py` fills them into the views. `tests/storage/test_summaries.py` compares both on the same
numbers.

What is stored of a mean are its standard error, degrees of freedom and skewness, not its interval. CONTRIBUTING
("Change an interval") lists the files to change, and the changes that need a migration.
"""

LEVEL = 0.05  # of a test; an interval covers 1 - LEVEL
FEWEST = 13  # clusters: fewer do not show how skewed their values are (benchmarks/interval_coverage.py)
