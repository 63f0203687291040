-- How much of a prompt the server had in its cache, which may have a price of its own.
alter table completions add column cached_tokens bigint;
