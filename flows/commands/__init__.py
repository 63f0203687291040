"""The commands: `newwiki NAME` is the function NAME in the file NAME.py, and a new command is a new file.

All of them are imported whenever one runs. So whatever is heavy is imported by the function that needs it.
"""
