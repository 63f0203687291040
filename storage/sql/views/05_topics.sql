create or replace view articles as
select
    stored_articles.snapshot_id, stored_articles.page_id, rev_id, title, created_at, revised_at, revisions, words,
    first_sentence, completion, topics.topic, text_sha256, sha1, headings,
    permalink
from stored_articles
left join topics using (snapshot_id, page_id);

-- What an article is about, or why that is not known; `page_id` is NULL where it was not looked up.
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

comment on view articles is 'The articles of all snapshots, with their topics.';
comment on column articles.snapshot_id is 'The snapshot.';
comment on column articles.page_id is 'MediaWiki''s number of the page.';
comment on column articles.rev_id is 'The revision that stood at the cutoff.';
comment on column articles.title is 'Its title.';
comment on column articles.created_at is 'When its first revision was saved.';
comment on column articles.revised_at is 'When this revision was saved.';
comment on column articles.revisions is 'How many it had at the cutoff, never counted beyond what was asked for.';
comment on column articles.words is 'Words of prose.';
comment on column articles.first_sentence is 'The first sentence, which is part of the prompt.';
comment on column articles.completion is 'All prose after it: the reference.';
comment on column articles.topic is 'What it is about; topic_counts says why where it is NULL.';
comment on column articles.text_sha256 is 'The hash of both.';
comment on column articles.sha1 is 'The hex SHA-1 of the wikitext, as MediaWiki gives it; NULL in old snapshots.';
comment on column articles.headings is 'A list of [level, title, offset in characters]: where in the prose the text below a heading begins.';
comment on column articles.permalink is 'Where this revision can be read.';

comment on view topic_counts is 'How many articles of each snapshot are about what.';
comment on column topic_counts.snapshot_id is 'The snapshot.';
comment on column topic_counts.topic is 'The topic; unknown (not looked up), no item (no Wikidata item), no class (its item has none), Other (none of the known).';
comment on column topic_counts.pages is 'How many articles.';
comment on column topic_counts.share is 'Their share of the snapshot.';
