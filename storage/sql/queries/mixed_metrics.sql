-- The metrics that were scored by more than one evaluator among the leaderboard's rows.
select metric
from metric_summaries
join leaderboard using (run_id)
where leaderboard.snapshot_id = coalesce(?, leaderboard.snapshot_id)
group by metric
having count(distinct evaluator_id) > 1
order by metric;
