-- What is put into a shared folder, and taken from it.

-- name: share_run_list
-- Complete runs, and whether the articles that they wrote are stored.
select run_id, snapshot_id, exists (from snapshots where snapshots.snapshot_id = runs.snapshot_id) as has_articles
from runs
where status = 'complete'
order by run_id;

-- name: share_scorings
-- Finished scorings of complete runs and of the articles themselves, with how many rows each has of either kind.
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
-- What a part holds, by its keys and in the order of the table's.
select * from {table} where {part} order by {key};

-- name: run_articles
-- What a run is on, and whether its articles are stored.
select snapshot_id, exists (from snapshots where snapshots.snapshot_id = runs.snapshot_id) from runs where run_id = ?;

-- name: metric_rows
select * from metrics order by metric;
