-- Labels that divide articles into corpora, and the noun phrases of responses.

-- name: labels_by_topic
select page_id, topic from topics where snapshot_id = ? and topic is not null;

-- name: labels_by_infobox
-- The template of each article's first infobox.
select page_id, arg_min(template, infobox) from article_facts where snapshot_id = ? group by page_id;

-- name: response_phrases
select page_id, sample, phrases
from response_phrases
where run_id = ? and evaluator_id = ?
order by page_id, sample;
