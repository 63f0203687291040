-- Pearson's correlation of each two of the metrics $2 of the evaluators $3 (by their places in those lists) over texts of
-- the runs $1 that have both numbers: over all, or over $4 that a hash draws.
with shown as (select unnest($2) as metric, unnest($3) as evaluator_id, unnest(range(len($2))) as place),
drawn as (
    select run_id, page_id, sample
    from completions
    where run_id in (select unnest($1)) and kept
    order by md5(concat_ws(':', run_id, page_id, sample))
    limit $4
),
chosen as (
    select run_id, page_id, sample, place, value
    from scores
    join shown using (metric, evaluator_id)
    join drawn using (run_id, page_id, sample)
    join scorings using (run_id, evaluator_id)
    where value is not null
)
select one.place, other.place, count(*) as texts, corr(one.value, other.value) as correlation
from chosen as one
join chosen as other using (run_id, page_id, sample)
where one.place < other.place
group by all;
