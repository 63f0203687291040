"""The local web pages over the live database; every view has its own address, and no page can write."""
