-- How each run's numbers ($1) are spread, by the metrics $2 of the evaluators $3, beside each other in those lists: the
-- quartiles, and how many lie in each of $4 bins. The bins are the same for all runs; the outermost of them hold what
-- lies beyond the range of the middle 99 % of what models wrote. (The articles' own numbers are often 1, far from that.)
with shown as (select unnest($2) as metric, unnest($3) as evaluator_id),
chosen as (
    select scores.run_id, metric, evaluator_id, value
    from scores
    join shown using (metric, evaluator_id)
    join scorings using (run_id, evaluator_id)
    where scores.run_id in (select unnest($1)) and value is not null
),
ranges as (
    select metric, evaluator_id, quantile_cont(value, 0.005) as low, quantile_cont(value, 0.995) as high
    from chosen
    where not starts_with(run_id, 'reference:')
    group by all
),
quartiles as (
    select run_id, metric, evaluator_id, quantile_cont(value, [0.25, 0.5, 0.75]) as quartiles
    from chosen
    group by all
),
binned as (
    select run_id, metric, evaluator_id, low, high, count(*) as texts,
        if(high > low, least(greatest(floor($4 * (value - low) / (high - low)), 0), $4 - 1), 0)::int as bin
    from chosen
    join ranges using (metric, evaluator_id)
    group by all
)
select run_id, metric, evaluator_id, low, high, quartiles, list(bin) as bins, list(texts) as texts
from binned
join quartiles using (run_id, metric, evaluator_id)
group by all;
