select * from snapshot_hashes where snapshot_id = ? order by table_name, column_name;
