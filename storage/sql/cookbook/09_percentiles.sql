-- How are the newest run's scores distributed, metric by metric?
select
    metric, count(value) as texts, min(value) as lowest,
    quantile_cont(value, [0.05, 0.25, 0.5, 0.75, 0.95]) as percentiles_5_25_50_75_95,
    max(value) as highest
from current_scores
where run_id = (select run_id from runs where status = 'complete' order by finished_at desc limit 1)
group by metric
order by metric;
