create or replace view scores_wide as
select
    run_id,
    page_id,
    sample,
    {value_of_each_metric}
from current_scores
group by run_id, page_id, sample;
