-- Articles that editors suspect, or that were deleted later.

-- name: articles_to_mark
-- The articles of a snapshot with the kinds of their maintenance templates and their deletions in later editions. `tags` is
-- NULL if no version has read them, and `is_lost` is true if a later edition lacks the article for an unknown reason.
with tagged as (
    select page_id, list(distinct kind order by kind) as kinds
    from article_tags
    where snapshot_id = $1
    group by page_id
),
later as (
    select page_id, max(deleted_at) as deleted_at, arg_max(kinds, deleted_at) as kinds
    from deletions
    where snapshot_id in (select edition from editions where snapshot_id = $1)
    group by page_id
)
select
    page_id,
    words,
    if(tags is null, null, coalesce(tagged.kinds, [])) as tags,
    deleted_at,
    later.kinds as deletion_kinds,
    later.page_id is not null and deleted_at is null as is_lost
from (from stored_articles where snapshot_id = $1)
left join article_structure using (snapshot_id, page_id)
left join tagged using (page_id)
left join later using (page_id)
order by page_id;
