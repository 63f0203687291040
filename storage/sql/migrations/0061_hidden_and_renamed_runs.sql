-- The runs that no board shows, and the names that models of runs had before they were renamed.
create table hidden_runs (
    run_id varchar not null,
    hidden_at timestamptz not null
);
create table renamed_runs (
    run_id varchar not null,
    former_model varchar not null,
    renamed_at timestamptz not null
);
