-- Which articles of the newest snapshot resemble an earlier text most?
select title, similarity, nearest_title, nearest_snapshot_id, permalink
from novelty
join articles using (snapshot_id, page_id)
where snapshot_id = (select snapshot_id from latest_snapshots where kind = 'new' order by window_end desc limit 1)
    and similarity is not null
order by similarity desc, title
limit 20;
