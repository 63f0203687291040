"""Run `newwiki` as `python -m newwiki`."""

from newwiki import main

main()
