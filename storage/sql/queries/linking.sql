-- Months on one scale.

-- name: linkable_runs
-- The runs on these snapshots that have scores and are not hidden, and the articles themselves.
select
    runs.run_id, model, model_sha256, decoder, snapshot_id, versions, to_json(asked)::varchar as settings_json,
    coalesce(finished_at, started_at) as written_at
from runs
join run_settings as asked using (run_id)
where snapshot_id in (select unnest($1)) and run_id in (select run_id from scorings)
    and run_id not in (select run_id from hidden_runs)
union all
select run_id, model, 'reference', 'reference', snapshot_id, '{}', null, null
from reference_texts
where snapshot_id in (select unnest($1)) and run_id in (select run_id from scorings)
order by run_id;

-- name: shared_articles
-- The number of articles that are in both snapshots.
select count(*) from stored_articles as one join stored_articles as other using (page_id)
where one.snapshot_id = ? and other.snapshot_id = ?;

-- name: earlier_months
-- The snapshots of a wiki's months before this one, the oldest first.
select snapshot_id from snapshots where wiki = ? and kind = 'new' and window_end <= ? order by window_start, snapshot_id;

-- name: months_linked
-- The links between months by these metrics and their evaluators, the newest answers first.
select linked_months.*
from linked_months
join experiments using (experiment_id)
where list_contains($1, metric) and list_extract($2, list_position($1, metric)) = evaluator_id
order by made_at desc, experiment_id, from_snapshot, to_snapshot;

-- name: trends_on
-- The runs of all months on the scale of this month, one row per run and metric, by the evaluators of the leaderboard's columns.
select model, decoder, metric, evaluator_id, snapshot_id, run_id, articles, mean, linked, low, high, no_link, experiment_id
from model_trends
join column_evaluators using (metric, evaluator_id)
where to_snapshot = ?
order by month desc, model, decoder, run_id, metric;

-- name: scored_since
-- Runs on the snapshots $1 that were scored after these answers ($2), which therefore do not include their scores.
select distinct run_id
from scorings
join runs using (run_id)
where snapshot_id in (select unnest($1))
    and date_trunc('second', scorings.finished_at) > (select max(made_at) from experiments where experiment_id in (select unnest($2)))
order by run_id;
