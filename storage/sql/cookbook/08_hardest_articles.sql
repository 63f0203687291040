-- Which articles of the newest run's snapshot are the hardest for all of its runs, by S-BERT?
with newest as (
    select snapshot_id from runs where status = 'complete' order by finished_at desc limit 1
),
means as (
    select page_id, evaluator_id, avg(mean) as sbert, min(mean) as of_the_worst_run, max(mean) as of_the_best_run,
        count(*) as runs
    from current_page_means
    where metric = 'sbert' and run_id in (select run_id from runs join newest using (snapshot_id))
    group by page_id, evaluator_id
)
select title, sbert, of_the_worst_run, of_the_best_run, means.runs, evaluator_id, permalink
from means
join articles on articles.page_id = means.page_id and articles.snapshot_id = (select snapshot_id from newest)
order by sbert, title
limit 20;
