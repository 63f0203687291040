select * from scores where run_id = ? and evaluator_id = ? order by page_id, sample, metric;
