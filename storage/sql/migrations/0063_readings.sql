-- The likelihood run whose scores count as scores of a run. The rows follow from the runs and are chosen again with them.
create table readings (
    run_id varchar not null,
    reading_run_id varchar not null
);
