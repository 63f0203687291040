-- Scored texts, their evaluators, and the summaries of scores.

-- name: scored_texts
select distinct evaluator_id, page_id, sample
from scores
where run_id = ? and evaluator_id in (select unnest(?));

-- name: set_scored
select evaluator_id, min(texts) as texts
from run_scores
where run_id = ?
group by evaluator_id;

-- name: reference_parts
select page_id, part, value
from reference_parts
where snapshot_id = ? and page_id in (select unnest(?)) and part || ':' || made_by in (select unnest(?));

-- name: finish_scoring
insert into scorings by name
select ? as run_id, evaluator_id, now() as finished_at
from (select unnest(?) as evaluator_id)
anti join (select evaluator_id from scorings where run_id = ?) using (evaluator_id)
returning evaluator_id;

-- name: unsummarised
-- The evaluators, by run, whose finished scoring of texts has no summary.
select run_id, list(evaluator_id order by evaluator_id)
from scorings
anti join stored_summaries using (run_id, evaluator_id)
semi join scores using (run_id, evaluator_id)
group by run_id
order by run_id;

-- name: store_page_means
insert into page_means by name
select *
from page_means_anew
where run_id = $1 and evaluator_id in (select unnest($2))
order by metric, evaluator_id, page_id;

-- name: store_page_gaps
insert into page_gaps by name
select *
from page_gaps_anew
where run_id = $1 and evaluator_id in (select unnest($2))
order by metric, evaluator_id, page_id, reason;

-- name: take_page_means
-- The rows from which summaries are computed. A temporary table is needed because DuckDB's plans would not skip other runs.
create or replace temp table taken_page_means as
select *, '' as snapshot_id, '' as stratum, '' as part, 1 as place
from page_means
where run_id = $1 and evaluator_id in (select unnest($2));

-- name: take_page_gaps
create or replace temp table taken_page_gaps as
select *, '' as snapshot_id, '' as stratum, '' as part, 1 as place
from page_gaps
where run_id = $1 and evaluator_id in (select unnest($2));

-- name: store_summaries
insert into stored_summaries by name
select * exclude (snapshot_id, stratum, part, place)
from summaries_of('taken_page_means', 'taken_page_gaps')
order by metric, evaluator_id;

-- name: forget_columns
delete from stored_column_evaluators;

-- name: store_columns
insert into stored_column_evaluators by name
select * from column_evaluators_anew order by metric;

-- name: forget_readings
delete from readings;

-- name: store_readings
insert into readings by name
select * from readings_anew order by run_id;

-- name: forget_page_means
delete from page_means where run_id = $1 and evaluator_id in (select unnest($2));

-- name: forget_page_gaps
delete from page_gaps where run_id = $1 and evaluator_id in (select unnest($2));

-- name: forget_summaries
delete from stored_summaries where run_id = $1 and evaluator_id in (select unnest($2));

-- name: known_facts
-- The infobox parameters of these pages that this version has read. A page without infoboxes has one row of NULLs.
select page_id, parameter, value
from article_structure
left join article_facts using (snapshot_id, page_id)
where snapshot_id = $1 and page_id in (select unnest($2)) and structure_version = $3
order by page_id, infobox, parameter;
