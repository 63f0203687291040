-- What a run wrote, with the titles of the articles where they are stored.
select completions.*, stored_articles.title
from completions
join runs using (run_id)
left join stored_articles using (snapshot_id, page_id)
where run_id = ?
order by page_id, sample;
