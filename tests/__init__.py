"""A package by name, so that processes find it where site-packages holds a `tests` of its own."""
