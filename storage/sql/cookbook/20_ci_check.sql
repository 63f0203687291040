-- Is the newest run worse than the one before it with the same decoder, snapshot and protocol? Rows are failures: a metric whose
-- paired 95 % interval lies wholly on the worse side. A check in CI passes where there is no row.
with newest as (
    select * from runs where status = 'complete' order by finished_at desc limit 1
),
before as (
    select runs.run_id
    from runs
    join newest using (snapshot_id, decoder, protocol)
    where runs.status = 'complete' and runs.run_id <> newest.run_id
    order by runs.finished_at desc
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
        metric, count(*) as prompts, avg(difference) as mean_difference, stddev_samp(difference) / sqrt(count(*)) as error,
        interval_low(mean_difference, error, count(*) - 1.0, skewness(difference) / sqrt(count(*))) as low,
        interval_high(mean_difference, error, count(*) - 1.0, skewness(difference) / sqrt(count(*))) as high
    from differences
    group by metric
)
select
    metric, direction as better, mean_difference, low, high, prompts, (select run_id from before) as baseline,
    (select run_id from newest) as candidate
from estimates
join metrics using (metric)
where (direction = 'higher' and high < 0)
    or (direction = 'lower' and low > 0)
order by metric;
