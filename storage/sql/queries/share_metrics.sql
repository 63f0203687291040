select * from metrics where metric = ?;
