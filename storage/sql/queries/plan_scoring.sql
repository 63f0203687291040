-- Machine-seconds a text between a run's end and its first scoring, with the articles where these were scored meanwhile.
-- The median over runs, as a run that was scored much later has a gap.
with first_scored as (
    select run_id, min(finished_at) as scored_at
    from scorings
    semi join scores using (run_id, evaluator_id)
    group by run_id
),
texts as (
    select run_id, count(*) filter (kept) as kept from completions group by run_id
),
gaps as (
    select
        run_id, epoch(first_scored.scored_at - finished_at) * coalesce(try_cast(versions ->> 'workers' as bigint), 1) as seconds,
        kept + if(articles.scored_at between finished_at and first_scored.scored_at, prompts, 0) as scored
    from runs
    join first_scored using (run_id)
    join texts using (run_id)
    left join (select run_id as of_articles, scored_at from first_scored) as articles
        on of_articles = 'reference:' || snapshot_id
    where finished_at is not null and first_scored.scored_at >= finished_at
)
select median(seconds / scored), count(*) from gaps where scored > 0;
