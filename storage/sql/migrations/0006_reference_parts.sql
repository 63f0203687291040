-- What models made of a snapshot's articles (entities, embeddings …), so that each reference is read once. `value` is JSON.
create table reference_parts (
    snapshot_id varchar not null,
    page_id bigint not null,
    part varchar not null,
    made_by varchar not null,
    value varchar not null
);
