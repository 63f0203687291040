-- How much of what models write is supported, by decoder, and which decoders differ in it.
create table verifiability_metrics (
    experiment_id varchar not null,
    model varchar not null,
    decoder varchar not null,
    metric varchar not null,
    evaluator_id varchar,
    prompts bigint not null,
    texts bigint not null,
    undefined bigint not null,
    mean double,
    low double,
    high double,
    no_interval varchar
);

create table verifiability_differences (
    experiment_id varchar not null,
    model varchar not null,
    decoder varchar not null,
    against varchar not null,
    metric varchar not null,
    prompts bigint not null,
    difference double,
    low double,
    high double,
    p double,
    p_holm double,
    verdict varchar not null
);
