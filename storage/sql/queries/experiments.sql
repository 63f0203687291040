-- The answers of experiments.

-- name: experiment
select experiment_id, name, version, snapshot_id, request, read, verdict, words, made_at
from experiments
where experiment_id = ?;

-- name: experiments_on
-- The newest answer to each question on a snapshot.
select experiment_id, name, version, snapshot_id, request, read, verdict, words, made_at
from experiments
where snapshot_id = ?
qualify row_number() over (partition by name, request::varchar order by made_at desc, experiment_id) = 1
order by name, made_at;

-- name: experiment_rows
select * exclude (experiment_id) from {table} where experiment_id = ? order by rowid;

-- name: matching_facts
-- By what the articles of a snapshot are matched with others; citations and topic are NULL where they are not known.
select page_id, words, citations, topics.topic
from stored_articles
left join article_structure using (snapshot_id, page_id)
left join topics using (snapshot_id, page_id)
where stored_articles.snapshot_id = ?
order by page_id;
