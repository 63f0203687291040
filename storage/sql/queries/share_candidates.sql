select * from candidates where snapshot_id = ? order by page_id;
