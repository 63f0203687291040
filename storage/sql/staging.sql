create table request (
    snapshot_id varchar,
    cutoff timestamptz,
    rules bigint
);

create table judged (
    page_id bigint primary key,
    title varchar,
    created_at timestamptz,
    verdict varchar,
    detail varchar,
    rev_id bigint,
    revised_at timestamptz,
    revisions bigint,
    words bigint,
    first_sentence varchar,
    completion varchar,
    sha1 varchar,
    origin varchar,
    headings json,
    structure json
);

create table remembered (
    question varchar,
    number bigint,
    answer varchar,
    primary key (question, number)
);

create table requests (
    kind varchar,
    requests bigint,
    retries bigint,
    bytes bigint,
    seconds double
);
