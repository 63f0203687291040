-- What stands beside the prose of an article: infoboxes, citations, templates, links, images and sections. Snapshots that were
-- published before have no rows here.
create table article_structure (
    snapshot_id varchar not null,
    page_id bigint not null,
    structure_version varchar not null,
    infoboxes bigint not null,
    citations bigint not null,
    templates struct(template varchar, uses bigint)[] not null,
    links bigint not null,
    images bigint not null,
    sections bigint not null
);

create table article_facts (
    snapshot_id varchar not null,
    page_id bigint not null,
    infobox bigint not null,
    template varchar not null,
    parameter varchar not null,
    value varchar not null
);

create table article_citations (
    snapshot_id varchar not null,
    page_id bigint not null,
    place bigint not null,
    template varchar,
    host varchar,
    date varchar
);
