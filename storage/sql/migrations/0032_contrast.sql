-- How varied, coherent and near to articles texts are under contrastive decoding, under what it is set beside, and under
-- what is varied in it.
create table contrast_variants (
    experiment_id varchar not null,
    model varchar not null,
    part varchar not null,
    place bigint not null,
    parameter varchar not null,
    value varchar not null,
    decoder varchar not null
);

create table contrast_numbers (
    experiment_id varchar not null,
    run_id varchar not null,
    model varchar not null,
    decoder varchar not null,
    metric varchar not null,
    evaluator_id varchar not null,
    prompts bigint not null,
    texts bigint not null,
    lacking bigint not null,
    mean double,
    low double,
    high double,
    no_interval varchar,
    spread double,
    no_number varchar
);

create table contrast_differences (
    experiment_id varchar not null,
    model varchar not null,
    part varchar not null,
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
