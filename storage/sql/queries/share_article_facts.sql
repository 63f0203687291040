select * from article_facts where snapshot_id = ? order by page_id, infobox, parameter;
