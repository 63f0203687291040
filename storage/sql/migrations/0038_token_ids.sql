-- The tokens of each completion, by which a checker replays it without tokenizing its text again.
alter table completions add column token_ids bigint[];
