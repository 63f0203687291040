-- Complete runs, and whether the articles that they wrote are stored.
select run_id, snapshot_id, exists (from snapshots where snapshots.snapshot_id = runs.snapshot_id) as has_articles
from runs
where status = 'complete'
order by run_id;
