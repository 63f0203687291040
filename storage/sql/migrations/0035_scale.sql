-- What a database of hundreds of millions of scores is asked by, so that no page and no question goes through them all.
-- The means by prompt get what standard deviations of any part of a snapshot are made of; texts without a number are counted
-- beside them. All of it is made anew from the scores.
alter table page_means add column squares double;
delete from page_means;
delete from stored_summaries;

create table page_gaps (
    run_id varchar not null,
    metric varchar not null,
    evaluator_id varchar not null,
    page_id bigint not null,
    reason varchar not null,
    texts bigint not null
);

-- How many prompts and texts of a run are kept.
alter table runs add column kept_prompts bigint;
alter table runs add column kept_texts bigint;
update runs
set kept_prompts = found.prompts, kept_texts = found.texts
from (
    select run_id, count(distinct page_id) as prompts, count(*) as texts from completions where kept group by run_id
) as found
where found.run_id = runs.run_id;

-- Whose numbers stand in a metric's column: DuckDB plans well with these few rows, and badly with the question that finds them.
create table stored_column_evaluators (
    metric varchar not null,
    evaluator_id varchar not null
);

drop view if exists whole_scores;
