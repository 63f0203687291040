"""Models that are asked over HTTP: who is asked, in which words, how many at once, and what it costs."""
