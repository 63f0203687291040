-- A run's numbers: means over texts, with standard errors clustered by prompt where there are two prompts or more. A number of
-- the whole run has none. Those that could not be computed are not here.
with prompts as (
    select metric, evaluator_id, count(distinct page_id) filter (value is not null) as pages
    from scores
    where run_id = $1
    group by all
)
select
    summaries.metric,
    summaries.mean,
    (summaries.high - summaries.low) / 2 / student_t_975((prompts.pages - 1)::double) as standard_error,
    summaries.scored,
    metrics.direction,
    summaries.evaluator_id
from metric_summaries as summaries
join metrics using (metric)
left join prompts using (metric, evaluator_id)
where summaries.run_id = $1 and summaries.mean is not null
order by summaries.metric;
