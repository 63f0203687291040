"""The local web page over the live database: every state of it is an address, and nothing of it can write."""
