-- The newest numbers of a run, and who gave them; those of the same snapshot's articles beside them, if the same gave those.
select
    run.metric, metrics.unit, metrics.direction, metrics.definition, metrics.scope,
    run.mean, run.sd, run.low, run.high, run.scored, run.unscored,
    wikipedia.mean as reference,
    concat_ws(' ', evaluators.name, evaluators.version, evaluators.model) as evaluator
from metric_summaries as run
join metrics using (metric)
join evaluators using (evaluator_id)
left join metric_summaries as wikipedia
    on wikipedia.run_id = ? and wikipedia.metric = run.metric and wikipedia.evaluator_id = run.evaluator_id
where run.run_id = ?
order by metrics.scope desc, run.metric;
