-- The article's mean number by metric, of each run and of the article itself.
select run_id, metric, avg(value) as mean
from current_scores
where page_id = $2
    and run_id in (select run_id from runs where snapshot_id = $1 union all select 'reference:' || $1)
group by run_id, metric
order by metric, run_id;
