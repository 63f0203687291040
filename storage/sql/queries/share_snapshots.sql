select * replace (parameters::varchar as parameters) from snapshots where snapshot_id = ?;
