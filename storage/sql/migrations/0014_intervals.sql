-- Degrees of freedom and skewness of each mean. All summaries are made anew from the scores, in the order of pages and
-- samples: those that older versions stored had another standard error, and a last bit by chance.
delete from page_means;
drop table stored_summaries;

create table stored_summaries (
    run_id varchar not null,
    metric varchar not null,
    evaluator_id varchar not null,
    mean double,
    sd double,
    standard_error double,
    freedom double,
    skew double,
    pages bigint not null,
    scored bigint not null,
    unscored bigint not null,
    reasons map(varchar, bigint) not null
);
