-- The newest numbers of a run, and who gave them; those of the same snapshot's articles beside them, if the same gave those.
select
    run.metric, metrics.unit, metrics.direction, metrics.definition, metrics.scope,
    run.mean, run.sd, run.low, run.high, run.no_interval, run.scored, run.unscored,
    coverage(run.scored, run.unscored, run.reasons, greatest(coalesce(texts, 0), run.scored + run.unscored)) as status,
    wikipedia.mean as reference,
    coverage(wikipedia.scored, wikipedia.unscored, wikipedia.reasons, wikipedia.scored + wikipedia.unscored) as reference_status,
    concat_ws(' ', evaluators.name, evaluators.version, evaluators.model) as evaluator
from metric_summaries as run
join metrics using (metric)
join evaluators using (evaluator_id)
left join metric_summaries as wikipedia
    on wikipedia.run_id = ? and wikipedia.metric = run.metric and wikipedia.evaluator_id = run.evaluator_id
left join kept_texts on kept_texts.run_id = run.run_id
where run.run_id = ?
order by metrics.scope desc, run.metric;
