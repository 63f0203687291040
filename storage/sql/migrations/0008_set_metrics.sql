-- A metric is of one text, or of all kept texts of a run together.
alter table metrics add column scope varchar default 'text';
-- How many kept texts the run had when it was scored: the articles of a snapshot may become more.
alter table run_scores add column texts bigint default 0;
