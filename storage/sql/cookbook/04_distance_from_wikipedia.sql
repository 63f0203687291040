-- How far is each run from the articles that people wrote, in standard deviations of the articles?
select
    model, decoder, summaries.metric, summaries.mean, articles.mean as wikipedia,
    (summaries.mean - articles.mean) / nullif(articles.sd, 0) as deviations, snapshot_id,
    summaries.evaluator_id, protocol
from metric_summaries as summaries
join runs using (run_id)
join scoring_summaries as articles
    on articles.run_id = 'reference:' || snapshot_id
    and articles.metric = summaries.metric
    and articles.evaluator_id = summaries.evaluator_id
order by snapshot_id desc, model, decoder, summaries.metric;
