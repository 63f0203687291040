-- Which metrics go together? Correlations over the newest run's prompts, the strongest first.
with means as (
    select metric, page_id, mean
    from current_page_means
    where run_id = (select run_id from runs where status = 'complete' order by finished_at desc limit 1)
)
select one.metric, other.metric as other_metric, nullif(corr(one.mean, other.mean), 'nan') as correlation, count(*) as prompts
from means as one
join means as other on one.page_id = other.page_id and one.metric < other.metric
group by all
order by abs(correlation) desc nulls last, one.metric, other.metric;
