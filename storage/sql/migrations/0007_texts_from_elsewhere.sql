-- Of texts that were written elsewhere, seed, length in tokens and its limit are not known.
alter table runs alter column seed drop not null;
alter table runs alter column max_new_tokens drop not null;
alter table completions alter column tokens drop not null;
