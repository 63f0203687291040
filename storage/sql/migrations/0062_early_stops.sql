-- The runs that `newwiki verdict --until-sure` stopped before all of their prompts were written, and why.
create table early_stops (
    run_id varchar not null,
    baseline varchar not null,
    metrics varchar not null,
    seed bigint not null,
    margin double,
    prompts bigint not null,
    looks bigint not null,
    verdict varchar not null,
    reason varchar not null,
    sentence varchar not null,
    stopped_at timestamptz not null
);
