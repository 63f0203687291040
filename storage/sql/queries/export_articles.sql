select * from articles where snapshot_id = ? order by page_id;
