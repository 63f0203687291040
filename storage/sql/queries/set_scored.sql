select evaluator_id, min(texts) as texts
from run_scores
where run_id = ?
group by evaluator_id;
