-- How many completions of a run have no answer, and how many of its kept texts were cut off.
alter table runs add column no_answers bigint;
alter table runs add column truncated_texts bigint;
update runs set no_answers = 0, truncated_texts = 0 where kept_texts is not null;
update runs
set no_answers = found.no_answers, truncated_texts = found.truncated
from (
    select run_id, count(no_answer) as no_answers, count(*) filter (kept and truncated) as truncated
    from completions
    where no_answer is not null or truncated
    group by run_id
) as found
where found.run_id = runs.run_id and kept_texts is not null;
