-- What an article is about is looked up after publishing, so it stands beside the article and not in it.
alter table articles drop column topic;
alter table articles rename to stored_articles;

-- One row an article that was looked up: no wikibase_item where the page has none, no topic where its item has no class.
create table topics (
    snapshot_id varchar not null,
    page_id bigint not null,
    wikibase_item varchar,
    instance_of varchar[] not null,
    topic varchar,
    looked_up_at timestamptz not null
);

-- The earlier text that each article is most similar to: NULL where nothing reaches the similarity that is reported.
create table novelty (
    snapshot_id varchar not null,
    page_id bigint not null,
    nearest_title varchar,
    nearest_snapshot_id varchar,
    similarity double
);

-- original, translation or split; NULL in snapshots that were published before this was asked.
alter table candidates add column origin varchar;
