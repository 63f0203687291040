select * from requests where snapshot_id = ? order by kind;
