select distinct evaluator_id, page_id, sample
from scores
where run_id = ? and evaluator_id in (select unnest(?));
