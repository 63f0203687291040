create or replace view articles as
select
    stored_articles.snapshot_id, stored_articles.page_id, rev_id, title, created_at, revised_at, revisions, words,
    first_sentence, completion, topics.topic, text_sha256, sha1, headings,
    permalink
from stored_articles
left join topics using (snapshot_id, page_id);

-- The topic of an article, or why it is not known; `page_id` is NULL if the topic was not looked up.
create or replace macro topic_label(page_id, wikibase_item, topic) as
    case when page_id is null then 'unknown' when wikibase_item is null then 'no item' else coalesce(topic, 'no class') end;

create or replace view topic_counts as
with labelled as (
    select
        stored_articles.snapshot_id, topic_label(topics.page_id, topics.wikibase_item, topics.topic) as label
    from stored_articles
    left join topics using (snapshot_id, page_id)
)
select snapshot_id, label as topic, count(*) as pages, count(*) / sum(count(*)) over (partition by snapshot_id) as share
from labelled
group by snapshot_id, label;

comment on view articles is 'One row per article of a snapshot, with its topic.';
comment on column articles.snapshot_id is 'The snapshot.';
comment on column articles.page_id is 'The page id in MediaWiki.';
comment on column articles.rev_id is 'The id of the revision that was current at the cutoff.';
comment on column articles.title is 'The title of the article.';
comment on column articles.created_at is 'The time at which the first revision of the article was saved.';
comment on column articles.revised_at is 'The time at which this revision was saved.';
comment on column articles.revisions is 'The number of revisions of the article at the cutoff, counted only up to the requested maximum.';
comment on column articles.words is 'The number of words of prose.';
comment on column articles.first_sentence is 'The first sentence of the article, which is part of the prompt.';
comment on column articles.completion is 'All prose after the first sentence: the reference.';
comment on column articles.topic is 'The topic of the article; NULL if it is not known. topic_counts gives the reason.';
comment on column articles.text_sha256 is 'The hash of the first sentence and the completion.';
comment on column articles.sha1 is 'The SHA-1 hash of the wikitext in hexadecimal digits, as MediaWiki gives it; NULL for snapshots that were published before this column existed.';
comment on column articles.headings is 'A list of [level, title, offset]. The offset is the position, in characters of the prose, at which the text below the heading begins.';
comment on column articles.permalink is 'The address of this revision.';

comment on view topic_counts is 'One row per snapshot and topic: the number of articles.';
comment on column topic_counts.snapshot_id is 'The snapshot.';
comment on column topic_counts.topic is 'The topic; or unknown (not looked up), no item (no Wikidata item), no class (the item has no class), Other (no known topic).';
comment on column topic_counts.pages is 'The number of articles.';
comment on column topic_counts.share is 'The share of the snapshot''s articles, from 0 to 1, that have the topic.';
