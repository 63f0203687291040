-- The last day of what a run's model can have seen, and who says so; NULL where nobody does.
alter table runs add column knowledge_cutoff date;
alter table runs add column knowledge_cutoff_from varchar;
