-- What the wiki says of itself; NULL in snapshots that were published before it was asked, and where it said nothing.
alter table snapshots add column language varchar;
alter table snapshots add column licence varchar;
alter table snapshots add column licence_url varchar;
