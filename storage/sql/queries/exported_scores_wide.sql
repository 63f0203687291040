select * from scores_wide where run_id = ? order by page_id, sample;
