select column_name, lower(data_type), comment from duckdb_columns() where table_name = ? order by column_index;
