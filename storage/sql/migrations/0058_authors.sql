-- What editors say of an article in maintenance templates, and why articles were deleted later.
alter table article_structure add column tags bigint;

create table article_tags (
    snapshot_id varchar not null,
    page_id bigint not null,
    place bigint not null,
    kind varchar not null,
    template varchar not null,
    written varchar not null
);

create table deletions (
    snapshot_id varchar not null,
    page_id bigint not null,
    deleted_at timestamptz,
    comment varchar,
    route varchar,
    criterion varchar,
    kinds varchar[],
    status varchar not null
);
