select article_structure.*, title, permalink
from article_structure
join stored_articles using (snapshot_id, page_id)
where snapshot_id = ?
order by page_id;
