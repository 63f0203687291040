-- From which month on a model has not seen what it reads: the curve by month, and what it says.
create table cutoff_findings (
    experiment_id varchar not null,
    model varchar not null,
    decoder varchar not null,
    metric varchar not null,
    evaluator_id varchar not null,
    control varchar,
    months bigint not null,
    left_out bigint not null,
    articles bigint not null,
    month date,
    low date,
    high date,
    change double,
    width bigint,
    p double,
    p_holm double,
    verdict varchar not null,
    stated date,
    agrees boolean
);

create table cutoff_months (
    experiment_id varchar not null,
    model varchar not null,
    decoder varchar not null,
    metric varchar not null,
    first_month date not null,
    month date not null,
    articles bigint not null,
    mean double not null,
    low double,
    high double,
    control_mean double,
    control_low double,
    control_high double
);
