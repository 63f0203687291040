-- On which articles does the newest run differ most from the article itself in readability (Flesch)?
with newest as (
    select run_id, snapshot_id from runs where status = 'complete' order by finished_at desc limit 1
)
select title, written.mean as of_the_run, article.mean as of_the_article, written.mean - article.mean as difference
from newest
join current_page_means as written on written.run_id = newest.run_id
join page_means as article
    on article.run_id = 'reference:' || newest.snapshot_id
    and article.metric = written.metric
    and article.evaluator_id = written.evaluator_id
    and article.page_id = written.page_id
join articles on articles.snapshot_id = newest.snapshot_id and articles.page_id = written.page_id
where written.metric = 'flesch_reading_ease'
order by abs(difference) desc, title
limit 20;
