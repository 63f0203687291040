-- What runs say of the statements of a paper, and the numbers that this rests on.
create table statement_verdicts (
    experiment_id varchar not null,
    statement varchar not null,
    section varchar not null,
    quote varchar not null,
    says varchar not null,
    kind varchar not null,
    ours varchar not null,
    runs bigint not null,
    articles bigint not null,
    comparisons bigint not null,
    effect double,
    low double,
    high double,
    unit varchar,
    p_holds double,
    p_fails double,
    verdict varchar not null,
    why varchar
);

create table setting_numbers (
    experiment_id varchar not null,
    run_id varchar not null,
    model varchar not null,
    decoder varchar not null,
    parameters_of_model double,
    top_p double,
    top_k double,
    temperature double,
    penalty double,
    metric varchar not null,
    here varchar not null,
    evaluator_id varchar not null,
    articles bigint not null,
    texts bigint not null,
    mean double,
    sd double,
    sd_of_prompt double
);

create table metric_correlations (
    experiment_id varchar not null,
    metric varchar not null,
    other varchar not null,
    articles bigint not null,
    texts bigint not null,
    r double,
    low double,
    high double
);
