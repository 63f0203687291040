-- Data to push to and pull from a shared folder.

-- name: share_run_list
-- Complete runs, and whether their articles are stored.
select run_id, snapshot_id, exists (from snapshots where snapshots.snapshot_id = runs.snapshot_id) as has_articles
from runs
where status = 'complete'
order by run_id;

-- name: share_hidden
select run_id from hidden_runs join runs using (run_id) where status = 'complete' order by run_id;

-- name: share_run_names
-- The columns from which a run's id can be recognized, and the paths that they may contain.
select run_id, backend, model, decoder, versions from runs where status = 'complete' order by run_id;

-- name: share_evaluators
select * from evaluators order by evaluator_id;

-- name: text_columns
-- The columns of each table that hold text.
select table_name, list(column_name order by column_index)
from duckdb_columns()
where data_type in ('VARCHAR', 'JSON') and database_name = current_database()
    and table_name in (select table_name from duckdb_tables() where database_name = current_database())
group by table_name
order by table_name;

-- name: texts_of_column
select distinct {column}::varchar from {table} where {column} is not null;

-- name: make_public
update {table} set {column} = public from public_texts where {column}::varchar = private;

-- name: share_scorings
-- Finished scorings of complete runs and of the articles, with the number of scores and, for scores of whole runs, of texts.
with scored as (
    select run_id, evaluator_id, count(*) as scores, 0 as texts from scores group by all
    union all
    select run_id, evaluator_id, 0 as scores, min(texts) as texts from run_scores group by all
)
select run_id, evaluator_id, scorings.finished_at, sum(scores)::bigint as scores, sum(texts)::bigint as texts
from scorings
join scored using (run_id, evaluator_id)
left join runs using (run_id)
where runs.status = 'complete' or starts_with(run_id, 'reference:')
group by run_id, evaluator_id, scorings.finished_at
order by run_id, evaluator_id;

-- name: share_metric_names
select distinct metric
from (select metric, evaluator_id from scores union all select metric, evaluator_id from run_scores)
where evaluator_id = ?
order by metric;

-- name: part_rows
-- The rows of a part, selected by its keys, in the order of the table's key.
select * from {table} where {part} order by {key};

-- name: run_articles
-- The snapshot_id of a run, and whether its articles are stored.
select snapshot_id, exists (from snapshots where snapshots.snapshot_id = runs.snapshot_id) from runs where run_id = ?;

-- name: metric_rows
select * from metrics order by metric;

-- name: record_origin
-- Stores one row for each source and signer.
insert into origins
select $1, $2, $3, $4, $5
where not exists (from origins where run_id = $1 and evaluator_id = $2 and source = $3 and signer = $4);

-- name: has_origin
-- Whether a run or a scoring came from another database.
select 1 from origins where run_id = ? and evaluator_id = ? limit 1;

-- name: scorable_texts
-- The page ids and samples of a run's texts that can be scored.
select page_id, sample from completions where run_id = ? and kept order by page_id, sample;

-- name: shared_weights
-- The names of models with the same weights, if there are several.
select model_sha256, list_sort(list(distinct model))
from runs
where status = 'complete' and model_sha256 <> 'unknown'
group by model_sha256
having count(distinct model) > 1
order by model_sha256;
