select * from completions where run_id = ? order by page_id, sample;
