-- By how much do the two newest runs on a snapshot differ, prompt by prompt, with 95 % intervals?
with newest as (
    select run_id, snapshot_id from runs where status = 'complete' order by finished_at desc limit 1
),
before as (
    select runs.run_id
    from runs
    join newest on runs.snapshot_id = newest.snapshot_id and runs.run_id <> newest.run_id
    where status = 'complete'
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
        student_t_975((count(*) - 1)::double) * stddev_samp(difference) / sqrt(count(*)) as half_width
    from differences
    group by metric
)
select
    metric, mean_difference, mean_difference - half_width as low, mean_difference + half_width as high, prompts,
    (select run_id from before) as older_run, (select run_id from newest) as newer_run
from estimates
order by metric;
