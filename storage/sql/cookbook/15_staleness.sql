-- How old is the newest snapshot of each wiki, and has any run been made on it?
select
    staleness.wiki, latest.snapshot_id, staleness.newest as published_at, staleness.days,
    (select count(*) from runs where runs.snapshot_id = latest.snapshot_id and status = 'complete') as complete_runs
from staleness
join latest_snapshots as latest on latest.wiki = staleness.wiki and latest.kind = 'new'
order by days desc, staleness.wiki;
