-- The templates whose wikitext decided about the texts of a snapshot, as of its cutoff.
create table snapshot_templates (
    snapshot_id varchar not null,
    title varchar not null,
    rev_id bigint not null,
    sha1 varchar not null,
    wikitext varchar not null
);
