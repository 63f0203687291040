-- The rows of all result tables of experiments, in one table; storage/result_tables.py makes a typed view of each of them.
create table experiment_rows (
    experiment_id varchar not null,
    table_name varchar not null,
    position bigint not null,
    row json not null
);
