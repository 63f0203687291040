select run_id, exists (from snapshots where snapshots.snapshot_id = runs.snapshot_id) as has_articles
from runs
where status = 'complete'
order by started_at, run_id;
