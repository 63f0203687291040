-- On how many texts the numbers of the runs $1 by the metrics $2 of the evaluators $3 (beside each other) stand.
select run_id, metric, coverage(scored, unscored, reasons, greatest(coalesce(texts, 0), scored + unscored)) as status
from stored_summaries
left join kept_texts using (run_id)
where run_id in (select unnest($1)) and list_extract($3, list_position($2, metric)) = evaluator_id
order by metric, run_id;
