-- Of all tables in the schema at hand, in the order in which they stand.
select table_name, column_name, data_type
from duckdb_columns()
where database_name = current_database() and schema_name = current_schema()
order by table_name, column_index;
