-- How many transactions this database has stored, so that the file beside it tells when some of them are gone.
create table commit_counter (
    database_id varchar not null,
    commits bigint not null
);
insert into commit_counter values (uuid()::varchar, 0);
