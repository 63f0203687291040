-- An answer names the units over which its verdict generalizes, and a statement about size how many models it rests on.
alter table experiments add column generalizes_over varchar;
alter table statement_verdicts add column models bigint;
alter table statement_verdicts add column models_needed bigint;
