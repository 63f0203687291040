-- How an answer was made, as it was when it was made; NULL for answers of earlier versions.
alter table experiments add column methods json;
