-- What `newwiki experiment contrast` reads of runs, beside what all experiments do.

-- name: set_numbers
-- The numbers of a run as a whole by these metrics of these evaluators.
select evaluator_id, metric, value, spread, status, texts
from run_scores
where run_id = $1 and metric in (select unnest($2)) and evaluator_id in (select unnest($3))
order by metric;
