-- Queries of `newwiki experiment contrast`, in addition to those of all experiments.

-- name: set_numbers
-- The scores of a whole run by these metrics and evaluators.
select evaluator_id, metric, value, spread, status, texts
from run_scores
where run_id = $1 and metric in (select unnest($2)) and evaluator_id in (select unnest($3))
order by metric;
