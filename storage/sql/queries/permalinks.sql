-- Permanent links from the address of the wiki's main page: `…/wiki/Main_Page` gives `…/wiki/Special:PermanentLink/7`.
update stored_articles
set permalink = regexp_replace(?, '[^/=]*$', '') || 'Special:PermanentLink/' || rev_id
where snapshot_id = ?;
