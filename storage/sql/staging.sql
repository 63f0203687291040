create table if not exists request (
    snapshot_id varchar,
    cutoff timestamptz,
    rules bigint
);

create table if not exists judged (
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
    structure json,
    templates json
);

create table if not exists remembered (
    question varchar,
    number bigint,
    answer varchar,
    primary key (question, number)
);

create table if not exists requests (
    kind varchar,
    requests bigint,
    retries bigint,
    bytes bigint,
    seconds double
);

create table if not exists waiting (
    page_id bigint primary key,
    title varchar,
    created_at timestamptz,
    rev_id bigint,
    revised_at timestamptz,
    revisions bigint,
    wikitext varchar,
    absent varchar,
    summary varchar,
    tags varchar[],
    stepped_over varchar,
    wanted varchar[]
);

create table if not exists templates (
    title varchar primary key,
    rev_id bigint,
    wikitext varchar
);
