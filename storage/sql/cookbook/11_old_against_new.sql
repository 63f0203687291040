-- Do models do better on old articles, which they may have been trained on, than on new ones?
-- The interval is that of two independent means, from theirs (Zou & Donner 2008); there is none where one of these has none.
select
    new_runs.model, new_runs.decoder, new.metric, new.mean as on_new, old.mean as on_old,
    old.mean - new.mean as difference,
    difference - sqrt((old.mean - old.low) ** 2 + (new.high - new.mean) ** 2) as low,
    difference + sqrt((old.high - old.mean) ** 2 + (new.mean - new.low) ** 2) as high,
    new_runs.snapshot_id as new_snapshot, old_runs.snapshot_id as old_snapshot,
    new.evaluator_id, new_runs.protocol
from runs as new_runs
join snapshots as new_snapshots on new_snapshots.snapshot_id = new_runs.snapshot_id and new_snapshots.kind = 'new'
join runs as old_runs on old_runs.model_sha256 = new_runs.model_sha256 and old_runs.decoder = new_runs.decoder
    and same_protocol(old_runs.protocol, new_runs.protocol)
join snapshots as old_snapshots on old_snapshots.snapshot_id = old_runs.snapshot_id and old_snapshots.kind = 'old'
join metric_summaries as new on new.run_id = new_runs.run_id
join metric_summaries as old
    on old.run_id = old_runs.run_id and old.metric = new.metric and old.evaluator_id = new.evaluator_id
where new_snapshots.wiki = old_snapshots.wiki
order by new.metric, abs(difference) desc;
