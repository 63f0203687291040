select distinct metric
from (select metric, evaluator_id from scores union all select metric, evaluator_id from run_scores)
where evaluator_id = ?
order by metric;
