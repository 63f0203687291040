-- By how much do the newest run and the one before it that was asked alike differ, prompt by prompt, with 95 % intervals?
with newest as (
    select run_id, snapshot_id, protocol from runs where status = 'complete' order by finished_at desc limit 1
),
before as (
    select runs.run_id
    from runs
    join newest on runs.snapshot_id = newest.snapshot_id and runs.run_id <> newest.run_id
    where status = 'complete' and same_protocol(runs.protocol, newest.protocol)
    order by finished_at desc
    limit 1
),
differences as (
    select metric, newer.mean - older.mean as difference
    from current_page_means as newer
    join current_page_means as older using (metric, evaluator_id, page_id)
    where newer.run_id = (select run_id from newest) and older.run_id = (select run_id from before)
),
estimates as (
    select
        metric, count(*) as prompts, avg(difference) as mean_difference,
        stddev_samp(difference) / sqrt(count(*)) as error, count(*) - 1.0 as freedom,
        skewness(difference) / sqrt(count(*)) as skew
    from differences
    group by metric
)
select
    metric, mean_difference,
    interval_low(mean_difference, error, freedom, skew) as low, interval_high(mean_difference, error, freedom, skew) as high,
    no_interval(mean_difference, error, freedom) as no_interval, prompts,
    (select run_id from before) as older_run, (select run_id from newest) as newer_run
from estimates
order by metric;
