select * from articles where snapshot_id = ? and page_id = ?;
