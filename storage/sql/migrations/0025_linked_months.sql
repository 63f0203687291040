-- Two months on one scale, by each metric, and what each run's mean is on the scale of the newest.
create table linked_months (
    experiment_id varchar not null,
    metric varchar not null,
    evaluator_id varchar not null,
    protocol varchar not null,
    from_snapshot varchar not null,
    to_snapshot varchar not null,
    anchors bigint not null,
    models bigint not null,
    earlier_runs varchar[] not null,
    later_runs varchar[] not null,
    from_articles bigint not null,
    to_articles bigint not null,
    intercept double not null,
    slope double not null,
    slope_error double,
    interaction double not null,
    difficulty double not null,
    difficulty_error double not null,
    difficulty_low double not null,
    difficulty_high double not null
);

create table linked_means (
    experiment_id varchar not null,
    run_id varchar not null,
    model varchar not null,
    decoder varchar not null,
    snapshot_id varchar not null,
    to_snapshot varchar not null,
    metric varchar not null,
    evaluator_id varchar not null,
    protocol varchar,
    articles bigint not null,
    mean double not null,
    linked double,
    low double,
    high double,
    no_link varchar,
    via varchar[] not null
);
