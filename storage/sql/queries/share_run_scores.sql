select * from run_scores where run_id = ? and evaluator_id = ? order by metric;
