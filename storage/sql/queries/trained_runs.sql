-- Models that were trained on articles that they are tested on, a row for each and each number of them.
select distinct model, (versions ->> 'trained_articles')::bigint as trained, prompts, versions ->> 'training_snapshots'
from runs
where snapshot_id = coalesce(?, snapshot_id) and (versions ->> 'trained_articles')::bigint > 0
order by all;
