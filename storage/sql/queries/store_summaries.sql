insert into stored_summaries by name
select *
from summaries_anew
where run_id = $1 and evaluator_id in (select unnest($2))
order by metric, evaluator_id;
