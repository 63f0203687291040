select
    snapshots.snapshot_id, wiki, kind, window_start, window_end, cutoff, published_at, candidates, articles,
    count(runs.run_id) as runs
from snapshots
left join runs using (snapshot_id)
group by all
order by window_end desc, published_at desc;
