-- The answers of experiments: a row each, and the numbers that it rests on in the experiment's own tables.
create table experiments (
    experiment_id varchar not null,
    name varchar not null,
    version varchar not null,
    snapshot_id varchar not null,
    request json not null,
    read json not null,
    verdict varchar not null,
    words varchar[] not null,
    made_at timestamptz not null
);

create table leakage_gaps (
    experiment_id varchar not null,
    model varchar not null,
    decoder varchar not null,
    metric varchar not null,
    evaluator_id varchar not null,
    pairs bigint not null,
    mean_old double not null,
    mean_new double not null,
    gap double not null,
    sd double,
    low double,
    high double,
    no_interval varchar,
    p double not null,
    p_holm double not null,
    control varchar,
    control_gap double,
    difference double,
    difference_low double,
    difference_high double,
    difference_p_holm double,
    verdict varchar not null
);

create table leakage_memberships (
    experiment_id varchar not null,
    model varchar not null,
    score varchar not null,
    pairs bigint not null,
    auc double not null,
    low double not null,
    high double not null,
    blind_auc double not null,
    blind_low double not null,
    blind_high double not null,
    difference_low double not null,
    difference_high double not null
);

create table leakage_pairs (
    experiment_id varchar not null,
    old_page_id bigint not null,
    new_page_id bigint not null,
    distance double not null
);
