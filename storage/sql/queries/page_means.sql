-- Each prompt's mean score; runs and metrics by their places in the lists $1 and $2, $3 has the metrics' evaluators.
select
    list_position($1, run_id) - 1 as run,
    list_position($2, metric) - 1 as metric,
    page_id,
    mean
from page_means
where run_id in (select unnest($1))
    and list_extract($3, list_position($2, metric)) = evaluator_id;
