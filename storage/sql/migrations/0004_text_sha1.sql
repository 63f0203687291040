-- The hex SHA-1 of the revision's wikitext, as MediaWiki's API gives it; NULL in snapshots published before it was kept.
alter table articles add column sha1 varchar;
