-- What the model of a run was told: its first prompt as rendered, and how an answer begins and ends.
alter table runs add column prompt_sheet json;
