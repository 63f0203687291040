-- Which noun phrases responses have, and what `newwiki experiment corpora` finds.
create table response_phrases (
    run_id varchar not null,
    evaluator_id varchar not null,
    page_id bigint not null,
    sample bigint not null,
    phrases varchar[] not null
);

create table corpora (
    experiment_id varchar not null,
    corpus varchar not null,
    origin varchar not null,
    texts bigint not null,
    repeated bigint not null,
    in_every bigint not null,
    texts_sha256 varchar not null,
    training_sha256 varchar not null,
    checkpoint varchar not null,
    phrases bigint not null,
    unique_phrases bigint not null
);

create table corpus_responses (
    experiment_id varchar not null,
    corpus varchar not null,
    decoder varchar not null,
    run_id varchar not null,
    responses bigint not null,
    without_phrase bigint not null,
    phrases bigint not null
);

create table phrase_frequencies (
    experiment_id varchar not null,
    phrase varchar not null,
    corpus varchar not null,
    decoder varchar not null,
    responses bigint not null,
    share double not null,
    counts boolean not null
);

create table corpus_phrases (
    experiment_id varchar not null,
    corpus varchar not null,
    phrase varchar not null,
    kind varchar not null,
    corpora bigint not null,
    share double not null,
    low double,
    high double,
    no_interval varchar,
    against varchar,
    against_share double,
    difference double,
    difference_low double,
    difference_high double,
    p double,
    p_holm double,
    verdict varchar
);
