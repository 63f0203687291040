select article_facts.*, title, permalink
from article_facts
join stored_articles using (snapshot_id, page_id)
where snapshot_id = ?
order by page_id, infobox, parameter;
