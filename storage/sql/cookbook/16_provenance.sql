-- Who made the numbers of each metric: which program, which model, how many runs?
select
    metric, name, version, model, left(model_sha256, 8) as weights, dtype, backend, parameters, dependencies,
    count(*) as scorings, max(finished_at) as newest, evaluator_id
from scoring_summaries
join evaluators using (evaluator_id)
group by all
order by metric, newest desc;
