select direction from metrics where metric = ?;
