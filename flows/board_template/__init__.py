"""The files of a new leaderboard's repository; `newwiki board new` fills in the names between angle brackets."""
