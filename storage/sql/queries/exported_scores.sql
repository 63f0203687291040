select run_id, page_id, sample, metric, value, status, evaluator_id
from current_scores
where run_id = ?
order by page_id, sample, metric;
