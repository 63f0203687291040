-- Of each run the articles that its model cannot have seen. The articles themselves, as a row of their own, have those that
-- no scored run's model can have seen.
create or replace view articles_after_cutoff as
with cutoffs as (
    select run_id, snapshot_id, knowledge_cutoff from runs
    union all
    select reference_texts.run_id, snapshot_id, max(knowledge_cutoff)
    from reference_texts
    join runs using (snapshot_id)
    where runs.run_id in (select run_id from scorings)
    group by reference_texts.run_id, snapshot_id
)
select run_id, page_id, snapshot_id
from cutoffs
join stored_articles using (snapshot_id)
where created_after(created_at, knowledge_cutoff);

create or replace view scores_after_cutoff as
select scores.*, snapshot_id, '' as stratum, '' as part, 1 as place
from scores
join scorings using (run_id, evaluator_id)
join articles_after_cutoff using (run_id, page_id);

create or replace view page_means_after_cutoff as
select page_means.*, snapshot_id, '' as stratum, '' as part, 1 as place
from page_means
join articles_after_cutoff using (run_id, page_id);

create or replace view page_gaps_after_cutoff as
select page_gaps.*, snapshot_id, '' as stratum, '' as part, 1 as place
from page_gaps
join articles_after_cutoff using (run_id, page_id);

create or replace view leaderboard_after_cutoff as
with named as (
    select run_id, model, decoder, snapshot_id, knowledge_cutoff from runs
    union all
    select run_id, model, 'reference', snapshot_id, null from reference_texts
)
select
    model, decoder, snapshot_id, run_id, knowledge_cutoff, seen_share, metric, mean, sd, low, high, no_interval, pages,
    scored as texts, coverage(scored, unscored, reasons, scored + unscored) as status, evaluator_id
from summaries_by_stratum('page_means_after_cutoff', 'page_gaps_after_cutoff')
join column_evaluators using (metric, evaluator_id)
join named using (run_id, snapshot_id)
left join seen_shares using (run_id, snapshot_id);

comment on view articles_after_cutoff is 'Of each run the articles of its snapshot that were created after its model''s knowledge cutoff. Runs whose model''s is not known have none.';
comment on column articles_after_cutoff.run_id is 'The run; reference:SNAPSHOT for the articles themselves, which have those after the latest cutoff of the scored runs on them.';
comment on column articles_after_cutoff.page_id is 'The article.';
comment on column articles_after_cutoff.snapshot_id is 'The snapshot.';

comment on view scores_after_cutoff is 'The numbers of finished scorings on articles_after_cutoff.';
comment on column scores_after_cutoff.run_id is 'The run, or reference:SNAPSHOT.';
comment on column scores_after_cutoff.page_id is 'The article.';
comment on column scores_after_cutoff.sample is 'The completion among those of its prompt; 0 for an article.';
comment on column scores_after_cutoff.metric is 'The metric.';
comment on column scores_after_cutoff.value is 'The number; NULL where it cannot be had.';
comment on column scores_after_cutoff.status is 'ok, or why there is no number.';
comment on column scores_after_cutoff.evaluator_id is 'Who made it.';
comment on column scores_after_cutoff.snapshot_id is 'The snapshot.';
comment on column scores_after_cutoff.stratum is 'Empty: all are one part.';
comment on column scores_after_cutoff.part is 'Empty likewise.';
comment on column scores_after_cutoff.place is 'Its place.';

comment on view page_means_after_cutoff is 'Internal. The means by prompt on articles_after_cutoff.';
comment on column page_means_after_cutoff.run_id is 'The run, or reference:SNAPSHOT.';
comment on column page_means_after_cutoff.metric is 'The metric.';
comment on column page_means_after_cutoff.evaluator_id is 'Who made the numbers.';
comment on column page_means_after_cutoff.page_id is 'The prompt''s article.';
comment on column page_means_after_cutoff.mean is 'The mean over the prompt''s texts that have a number.';
comment on column page_means_after_cutoff.texts is 'How many these are.';
comment on column page_means_after_cutoff.squares is 'The sum of their squared deviations from this mean.';
comment on column page_means_after_cutoff.snapshot_id is 'The snapshot.';
comment on column page_means_after_cutoff.stratum is 'Empty: all are one part.';
comment on column page_means_after_cutoff.part is 'Empty likewise.';
comment on column page_means_after_cutoff.place is 'Its place.';

comment on view page_gaps_after_cutoff is 'Internal. The texts without a number by prompt on articles_after_cutoff.';
comment on column page_gaps_after_cutoff.run_id is 'The run, or reference:SNAPSHOT.';
comment on column page_gaps_after_cutoff.metric is 'The metric.';
comment on column page_gaps_after_cutoff.evaluator_id is 'Who was to make the numbers.';
comment on column page_gaps_after_cutoff.page_id is 'The prompt''s article.';
comment on column page_gaps_after_cutoff.reason is 'Why there is no number.';
comment on column page_gaps_after_cutoff.texts is 'Of how many of its texts.';
comment on column page_gaps_after_cutoff.snapshot_id is 'The snapshot.';
comment on column page_gaps_after_cutoff.stratum is 'Empty: all are one part.';
comment on column page_gaps_after_cutoff.part is 'Empty likewise.';
comment on column page_gaps_after_cutoff.place is 'Its place.';

comment on view leaderboard_after_cutoff is 'The leaderboard on articles_after_cutoff, a row for each run and metric, by the evaluators that column_evaluators names. Rows of other cutoffs may stand on other articles. Numbers of whole runs are not in it.';
comment on column leaderboard_after_cutoff.model is 'The model; Wikipedia for the articles.';
comment on column leaderboard_after_cutoff.decoder is 'The decoder in canonical form.';
comment on column leaderboard_after_cutoff.snapshot_id is 'The snapshot.';
comment on column leaderboard_after_cutoff.run_id is 'The run.';
comment on column leaderboard_after_cutoff.knowledge_cutoff is 'The last day (UTC) of what the model can have seen; NULL for the articles.';
comment on column leaderboard_after_cutoff.seen_share is 'The share of the run''s articles that is left out, as it is not later; NULL for the articles.';
comment on column leaderboard_after_cutoff.metric is 'The metric.';
comment on column leaderboard_after_cutoff.mean is 'The mean over the texts on the later articles.';
comment on column leaderboard_after_cutoff.sd is 'The standard deviation over them.';
comment on column leaderboard_after_cutoff.low is 'The lower end of the mean''s 95 % interval; NULL where there is none.';
comment on column leaderboard_after_cutoff.high is 'The upper end.';
comment on column leaderboard_after_cutoff.no_interval is 'Why there is no interval: too few prompts, or no variance; NULL where there is one.';
comment on column leaderboard_after_cutoff.pages is 'How many prompts have a number.';
comment on column leaderboard_after_cutoff.texts is 'How many texts the mean stands on.';
comment on column leaderboard_after_cutoff.status is 'ok, or how many of the scored texts have a number and why not the others.';
comment on column leaderboard_after_cutoff.evaluator_id is 'The evaluator.';
