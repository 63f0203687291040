-- Is the newest run worse than the one before it with the same decoder and snapshot? Rows are failures: a metric whose
-- paired 95 % interval lies wholly on the worse side. A check in CI passes where there is no row.
with newest as (
    select * from runs where status = 'complete' order by finished_at desc limit 1
),
before as (
    select runs.run_id
    from runs
    join newest using (snapshot_id, decoder)
    where runs.status = 'complete' and runs.run_id <> newest.run_id
    order by runs.finished_at desc
    limit 1
),
estimates as (
    select
        metric, count(*) as prompts, avg(newer.mean - older.mean) as mean_difference,
        student_t_975((count(*) - 1)::double) * stddev_samp(newer.mean - older.mean) / sqrt(count(*)) as half_width
    from current_page_means as newer
    join current_page_means as older using (metric, evaluator_id, page_id)
    where newer.run_id = (select run_id from newest) and older.run_id = (select run_id from before)
    group by metric
)
select
    metric, direction as better, mean_difference, mean_difference - half_width as low,
    mean_difference + half_width as high, prompts, (select run_id from before) as baseline,
    (select run_id from newest) as candidate
from estimates
join metrics using (metric)
where (direction = 'higher' and mean_difference + half_width < 0)
    or (direction = 'lower' and mean_difference - half_width > 0)
order by metric;
