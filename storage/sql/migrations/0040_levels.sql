-- Which completions a check replayed, so that those of several checks are counted once.
alter table verifications add column texts struct(page_id bigint, sample bigint)[];
