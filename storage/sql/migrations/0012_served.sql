-- Of completions that a server was asked for: what it counted of the prompt, and what it said of itself.
alter table completions add column prompt_tokens bigint;
alter table completions add column served_by varchar;
