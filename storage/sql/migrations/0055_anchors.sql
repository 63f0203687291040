-- The scores of anchor texts, which are made of a snapshot's articles and are no runs.
create table anchor_scores (
    snapshot_id varchar not null,
    anchor varchar not null,
    words bigint not null,
    version varchar not null,
    page_id bigint not null,
    metric varchar not null,
    evaluator_id varchar not null,
    value double,
    status varchar not null
);
