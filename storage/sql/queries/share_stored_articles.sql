select * replace (headings::varchar as headings) from stored_articles where snapshot_id = ? order by page_id;
