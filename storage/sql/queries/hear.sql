update runs set heard_at = now(), process = ? where run_id = ?;
