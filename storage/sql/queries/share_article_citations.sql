select * from article_citations where snapshot_id = ? order by page_id, place;
