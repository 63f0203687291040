create or replace view articles as
select
    stored_articles.snapshot_id, stored_articles.page_id, rev_id, title, created_at, revised_at, revisions, words,
    first_sentence, completion, topics.topic, text_sha256, sha1, headings,
    permalink
from stored_articles
left join topics using (snapshot_id, page_id);

create or replace view topic_counts as
with labelled as (
    select
        stored_articles.snapshot_id,
        case
            when topics.page_id is null then 'unknown'
            when topics.wikibase_item is null then 'no item'
            else coalesce(topics.topic, 'no class')
        end as label
    from stored_articles
    left join topics using (snapshot_id, page_id)
)
select snapshot_id, label as topic, count(*) as pages, count(*) / sum(count(*)) over (partition by snapshot_id) as share
from labelled
group by snapshot_id, label;
