-- Fairness scores the prompts alone as a baseline; leakage says what the pairs could have shown.
alter table fairness_shares add column prompt_share double;
alter table fairness_pairs add column prompt_difference double;
alter table fairness_pairs add column beyond double;
alter table fairness_pairs add column beyond_low double;
alter table fairness_pairs add column beyond_high double;
alter table fairness_pairs add column beyond_p_holm double;
alter table leakage_gaps add column difference_sd double;
alter table leakage_gaps add column visible double;
