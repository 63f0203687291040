-- Every finished scoring of the runs $1, of which each has as many texts as $2 says at its place.
select
    run_id, metric, evaluator_id, finished_at, mean, sd, low, high, no_interval, scored,
    coverage(scored, unscored, reasons, greatest($2[list_position($1, run_id)], scored + unscored)) as status,
    evaluator_id as scored_by
from scoring_summaries
where run_id in (select unnest($1));
