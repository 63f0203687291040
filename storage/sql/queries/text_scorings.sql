-- Which evaluators have scored the texts of these runs by which metrics, and when they were done.
select run_id, metric, evaluator_id, finished_at
from stored_summaries
join scorings using (run_id, evaluator_id)
where run_id in (select unnest(?))
order by all;
