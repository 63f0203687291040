-- Names for shell completion.

-- name: names_of_snapshots
select snapshot_id from snapshots order by window_end desc, snapshot_id;

-- name: names_of_metrics
select metric from metrics order by metric;

-- name: names_of_runs
-- Runs that have scores and are not hidden, and the articles of snapshots.
select run_id, model, decoder
from runs
where run_id in (select run_id from scorings) and run_id not in (select run_id from hidden_runs)
union all
select run_id, model, 'reference' from reference_texts
order by run_id;
