-- The scores of the texts that `newwiki experiment metrics` makes of articles.

-- name: scored_ladders
-- Which evaluators have scored the texts of each page of snapshot $1, as the hash of its texts and the evaluator's id. The
-- scores of a page are stored in one transaction.
select distinct texts_sha256, evaluator_id
from ladder_scores
where snapshot_id = $1;

-- name: ladder_values
-- The scores of the texts with the hashes $2 on snapshot $1 by the metrics $3, each by its evaluator in $4. Hashes, texts ($5)
-- and metrics are given by their positions in these lists.
select
    list_position($3, metric) - 1 as metric,
    list_position($2, texts_sha256) - 1 as page,
    list_position($5, text) - 1 as place,
    value
from ladder_scores
where snapshot_id = $1 and value is not null
    and metric in (select unnest($3)) and texts_sha256 in (select unnest($2)) and text in (select unnest($5))
    and list_extract($4, list_position($3, metric)) = evaluator_id;
