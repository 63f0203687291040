-- name: commit_count
select database_id, commits from this_database, commit_counter;

-- name: count_commit
update commit_counter set commits = commits + 1;

-- name: stored_rows
select table_name, estimated_size from duckdb_tables() where estimated_size > 0 and not temporary order by table_name;
