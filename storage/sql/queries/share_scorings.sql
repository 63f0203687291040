-- Finished scorings of complete runs and of the articles themselves, with how many rows each has of either kind.
with scored as (
    select run_id, evaluator_id, count(*) as scores, 0 as texts from scores group by all
    union all
    select run_id, evaluator_id, 0 as scores, min(texts) as texts from run_scores group by all
)
select run_id, evaluator_id, scorings.finished_at, sum(scores)::bigint as scores, sum(texts)::bigint as texts
from scorings
join scored using (run_id, evaluator_id)
left join runs using (run_id)
where runs.status = 'complete' or starts_with(run_id, 'reference:')
group by run_id, evaluator_id, scorings.finished_at
order by run_id, evaluator_id;
