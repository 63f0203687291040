select * from novelty where snapshot_id = ? order by page_id;
