select article_citations.*, title, permalink
from article_citations
join stored_articles using (snapshot_id, page_id)
where snapshot_id = ?
order by page_id, place;
