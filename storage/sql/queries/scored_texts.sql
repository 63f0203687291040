select distinct page_id, sample
from scores
where run_id = ? and evaluator_id = ?;
