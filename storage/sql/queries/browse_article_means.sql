-- The numbers of the article $2 of the snapshot $1, of each run and of the article itself, by the metrics $3 of the evaluators
-- $4 (beside each other): the mean over the run's texts for it, and on how many it stands.
with shown as (select unnest($3) as metric, unnest($4) as evaluator_id)
select
    run_id, metric, evaluator_id, avg(value) as mean,
    coverage(count(value), count(*) - count(value), histogram(status) filter (value is null), count(*)) as status
from scores
join shown using (metric, evaluator_id)
join scorings using (run_id, evaluator_id)
where page_id = $2
    and run_id in (select run_id from runs where snapshot_id = $1 union all select 'reference:' || $1)
group by run_id, metric, evaluator_id
order by metric, run_id;
