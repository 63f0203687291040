select * from snapshots where snapshot_id = ?;
