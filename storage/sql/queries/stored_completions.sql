select page_id, sample from completions where run_id = ?;
