select * from metric_summaries where run_id = ? order by metric;
