delete from stored_summaries where run_id = $1 and evaluator_id in (select unnest($2));
