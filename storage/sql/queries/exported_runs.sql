select * from runs where run_id = ?;
