-- Every finished scoring of the runs $1, cut by the stratum $2; each part has as many texts as $4 says where $3 names run and
-- part, between them a tab.
select
    run_id, metric, evaluator_id, value, mean, sd, low, high, no_interval, scored,
    coverage(
        scored, unscored, reasons,
        greatest(coalesce($4[list_position($3, run_id || chr(9) || value)], 0), scored + unscored)
    ) as status,
    evaluator_id as scored_by
from stratum_summaries
where run_id in (select unnest($1)) and stratum = $2;
