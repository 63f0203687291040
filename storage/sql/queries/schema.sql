-- The schema of the database, with its comments.

-- name: relations
select view_name as name, 'view' as kind, comment from duckdb_views() where not internal
union all
select table_name, 'table', comment from duckdb_tables() where table_name not in ('schema_migrations', 'schema_views')
order by kind desc, name;

-- name: columns
select column_name as name, lower(data_type) as type, comment from duckdb_columns() where table_name = ? order by column_index;

-- name: all_columns
select table_name, column_name as name, lower(data_type) as type, comment
from duckdb_columns()
order by table_name, column_index;

-- name: column_kinds
select column_name, data_type, is_nullable from duckdb_columns() where table_name = ? and database_name = current_database();
