-- Those whose numbers these runs are shown with.
select *
from evaluators
where evaluator_id in (select evaluator_id from metric_summaries where run_id in (select unnest(?)))
order by evaluator_id;
