-- The scores of anchor texts.

-- name: median_words
-- The median number of words of the kept texts of the runs in $1.
select run_id, median(words)
from completions
where run_id in (select unnest($1)) and kept
group by run_id;

-- name: article_topics
select page_id, topic
from stored_articles
left join topics using (snapshot_id, page_id)
where snapshot_id = $1;

-- name: scored_anchors
-- The pages of snapshot $1 of which an evaluator has scored all $4 anchors with $2 words, by version $3 of the texts.
select page_id, evaluator_id
from anchor_scores
where snapshot_id = $1 and words = $2 and version = $3
group by page_id, evaluator_id
having count(distinct anchor) = $4;

-- name: anchor_means
select snapshot_id, anchor, words, metric, evaluator_id, mean, low, high, texts
from anchors
where snapshot_id in (select unnest($1));

-- name: anchor_values
-- The scores of the anchors of snapshot $1 with $2 words. Metrics and pages are given by their positions in the lists $3 and
-- $5; $4 are the metrics' evaluators in the same order.
select
    anchor,
    list_position($3, metric) - 1 as metric,
    list_position($5, page_id) - 1 as page,
    value
from newest_anchor_scores
where snapshot_id = $1 and words = $2
    and metric in (select unnest($3)) and page_id in (select unnest($5))
    and list_extract($4, list_position($3, metric)) = evaluator_id
    and value is not null;

-- name: directions
-- The better direction of the metrics in $1.
select metric, direction from metrics where metric in (select unnest($1));
