"""`python -m newwiki` is `newwiki`."""

from newwiki import main

main()
