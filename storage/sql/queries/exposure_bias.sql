-- The stored texts and divergences of `newwiki experiment exposure-bias`.

-- name: stored_generations
select generation_id, page_id, sample, context_sha256, tokens
from exposure_generations
where generation_id in (select unnest(?));

-- name: stored_divergences
select sequence_sha256, total_variation, jensen_shannon from exposure_divergences where reading_id = ?;
