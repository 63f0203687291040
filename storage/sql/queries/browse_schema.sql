-- Tables and views with their columns in order.
select table_name, list(column_name order by column_index) as columns
from duckdb_columns()
where not internal and table_name not in ('schema_migrations', 'schema_views')
group by table_name
order by table_name;
