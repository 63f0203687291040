select min(permalink) from stored_articles where snapshot_id = ?;
