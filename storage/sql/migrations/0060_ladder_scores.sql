-- The scores of the texts that `newwiki experiment metrics` makes of articles, so that an interrupted experiment goes on.
create table ladder_scores (
    snapshot_id varchar not null,
    page_id bigint not null,
    texts_sha256 varchar not null,
    text varchar not null,
    metric varchar not null,
    evaluator_id varchar not null,
    value double,
    status varchar not null
);
