-- The pages that stand in two snapshots of one wiki with the same title and text, and of texts from elsewhere with their own
-- references the prompts that are in both files: their numbers are hashes of prompt and reference.
select page_id
from stored_articles as one
join stored_articles as other using (page_id, title, text_sha256)
where one.snapshot_id = $1 and other.snapshot_id = $2
    and (select count(distinct wiki) from snapshots where snapshot_id in ($1, $2)) = 1
union all
(
    select page_id from completions join runs using (run_id) where snapshot_id = $1 and snapshot_id like 'file:%'
    intersect
    select page_id from completions join runs using (run_id) where snapshot_id = $2 and snapshot_id like 'file:%'
);
