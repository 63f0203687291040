-- How many numbers were made in each month, and by how many evaluators?
select
    date_trunc('month', finished_at)::date as month, count(distinct run_id) as runs,
    count(distinct evaluator_id) as evaluators, sum(scored + unscored) as numbers, sum(unscored) as unscored
from scoring_summaries
group by all
order by month desc;
