delete from page_means where run_id = $1 and evaluator_id in (select unnest($2));
