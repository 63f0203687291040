-- What finished scorings amount to is stored with them, so that no question has to go through all scores.
-- The mean over the texts of a page that have a value, and how many these are.
create table page_means (
    run_id varchar not null,
    metric varchar not null,
    evaluator_id varchar not null,
    page_id bigint not null,
    mean double not null,
    texts bigint not null
);

create table stored_summaries (
    run_id varchar not null,
    metric varchar not null,
    evaluator_id varchar not null,
    mean double,
    sd double,
    standard_error double,
    pages bigint not null,
    scored bigint not null,
    unscored bigint not null,
    reasons map(varchar, bigint) not null
);
