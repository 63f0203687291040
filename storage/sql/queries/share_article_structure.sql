select * from article_structure where snapshot_id = ? order by page_id;
