select * from topics where snapshot_id = ? order by page_id;
