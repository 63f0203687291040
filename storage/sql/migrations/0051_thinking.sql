-- The thinking of a model that thinks before it answers, the reason why a completion has no answer, and the prose that is
-- scored in place of an answer with markup.
alter table completions add column thinking varchar;
alter table completions add column thinking_tokens bigint;
alter table completions add column thinking_ids bigint[];
alter table completions add column no_answer varchar;
alter table completions add column prose varchar;
