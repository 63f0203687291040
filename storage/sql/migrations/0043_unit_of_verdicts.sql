-- A verdict names the units over which it generalizes.
alter table statement_verdicts add column generalizes_over varchar;
