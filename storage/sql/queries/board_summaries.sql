-- Every finished scoring of the leaderboard's rows, the newest last.
select run_id, metric, evaluator_id, finished_at, mean, sd, low, high
from scoring_summaries
where run_id in (select run_id from leaderboard where snapshot_id = coalesce(?, snapshot_id))
order by finished_at, evaluator_id desc;
