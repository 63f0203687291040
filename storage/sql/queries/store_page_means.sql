insert into page_means by name
select *
from page_means_anew
where run_id = $1 and evaluator_id in (select unnest($2))
order by metric, evaluator_id, page_id;
