-- By complete run, how many texts it has, and a number that is another one where a text is.
select run_id, count(completions.run_id) as texts, sum(hash(page_id, sample, text)) as hashed
from runs
left join completions using (run_id)
where status = 'complete'
group by run_id;
