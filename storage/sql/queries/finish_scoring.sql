insert into scorings by name
select ? as run_id, evaluator_id, now() as finished_at
from (select unnest(?) as evaluator_id)
anti join (select evaluator_id from scorings where run_id = ?) using (evaluator_id)
returning evaluator_id;
