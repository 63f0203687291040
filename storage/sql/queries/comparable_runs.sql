-- What can be compared: every run, and the articles of each snapshot that were scored.
select run_id, model, decoder, snapshot_id, seed
from (
    select run_id, model, decoder, snapshot_id, seed, started_at from runs
    union all
    select 'reference:' || snapshot_id, 'Wikipedia', 'reference', snapshot_id, null, published_at
    from snapshots
    where 'reference:' || snapshot_id in (select run_id from scorings)
)
order by started_at, run_id;
