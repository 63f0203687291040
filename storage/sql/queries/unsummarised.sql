-- By run the evaluators whose finished scoring of texts has no summary.
select run_id, list(evaluator_id order by evaluator_id)
from scorings
anti join stored_summaries using (run_id, evaluator_id)
semi join scores using (run_id, evaluator_id)
group by run_id
order by run_id;
