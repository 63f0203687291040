-- A run's numbers: means over texts, with standard errors clustered by prompt where these make an interval, or why not. A number
-- of the whole run has neither. Those that could not be computed are not here.
select
    summaries.metric,
    summaries.mean,
    if(summaries.low is not null, summaries.standard_error, null) as standard_error,
    summaries.scored,
    metrics.direction,
    summaries.no_interval,
    summaries.pages,
    summaries.evaluator_id,
    coverage(scored, unscored, reasons, greatest(coalesce(texts, 0), scored + unscored)) as status
from metric_summaries as summaries
join metrics using (metric)
left join kept_texts using (run_id)
where summaries.run_id = $1 and summaries.mean is not null
order by summaries.metric;
