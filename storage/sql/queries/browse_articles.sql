-- $2 is what the titles hold, $3 how many rows from $4 on.
select page_id, title, topic, words, revisions, created_at, count(*) over () as found
from articles
where snapshot_id = $1 and contains(lower(title), lower($2))
order by title, page_id
limit $3 offset $4;
