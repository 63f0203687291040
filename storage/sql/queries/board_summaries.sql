-- Every finished scoring of these runs.
select run_id, metric, evaluator_id, finished_at, mean, sd, low, high
from scoring_summaries
where run_id in (select unnest(?));
