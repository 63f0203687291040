-- How many transactions this database has stored, so that the file beside it tells when some of them are gone.
create table commit_counter (
    commits bigint not null
);
insert into commit_counter values (0);
