-- The articles that the model of each run cannot have seen. The row of the articles (Wikipedia) has the articles that the
-- model of no scored run can have seen.
create or replace view articles_after_cutoff as
with cutoffs as (
    select run_id, snapshot_id, knowledge_cutoff from runs
    union all
    select reference_texts.run_id, snapshot_id, max(knowledge_cutoff)
    from reference_texts
    join runs using (snapshot_id)
    where runs.run_id in (select run_id from scorings) and runs.run_id not in (select run_id from hidden_runs)
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
select means.*, snapshot_id, '' as stratum, '' as part, 1 as place
from page_means_with_reading as means
join articles_after_cutoff using (run_id, page_id);

create or replace view page_gaps_after_cutoff as
select gaps.*, snapshot_id, '' as stratum, '' as part, 1 as place
from page_gaps_with_reading as gaps
join articles_after_cutoff using (run_id, page_id);

create or replace view leaderboard_after_cutoff as
with named as (
    select run_id, model, decoder, snapshot_id, knowledge_cutoff from runs where run_id not in (select run_id from hidden_runs)
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

comment on view articles_after_cutoff is 'One row per run and article that was created after the knowledge cutoff of the run''s model. Runs whose model has no known knowledge cutoff have no rows.';
comment on column articles_after_cutoff.run_id is 'The run; reference:SNAPSHOT for the articles, with the articles after the latest knowledge cutoff of the scored runs on the snapshot.';
comment on column articles_after_cutoff.page_id is 'The article.';
comment on column articles_after_cutoff.snapshot_id is 'The snapshot.';

comment on view scores_after_cutoff is 'One row per score of a finished scoring on articles_after_cutoff.';
comment on column scores_after_cutoff.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column scores_after_cutoff.page_id is 'The article.';
comment on column scores_after_cutoff.sample is 'The number of the completion among those of its prompt, from 0; 0 for an article.';
comment on column scores_after_cutoff.metric is 'The metric.';
comment on column scores_after_cutoff.value is 'The score; NULL if there is none.';
comment on column scores_after_cutoff.status is 'ok, or the reason why there is no score.';
comment on column scores_after_cutoff.evaluator_id is 'The evaluator that computed the score.';
comment on column scores_after_cutoff.snapshot_id is 'The snapshot.';
comment on column scores_after_cutoff.stratum is 'Always empty: all articles are one part.';
comment on column scores_after_cutoff.part is 'Always empty: all articles are one part.';
comment on column scores_after_cutoff.place is 'Always 1: the position of the only part.';

comment on view page_means_after_cutoff is 'Internal. The rows of page_means on articles_after_cutoff.';
comment on column page_means_after_cutoff.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column page_means_after_cutoff.metric is 'The metric.';
comment on column page_means_after_cutoff.evaluator_id is 'The evaluator that computed the scores.';
comment on column page_means_after_cutoff.page_id is 'The article of the prompt.';
comment on column page_means_after_cutoff.mean is 'The mean score of the prompt''s texts that have a score.';
comment on column page_means_after_cutoff.texts is 'The number of the prompt''s texts that have a score.';
comment on column page_means_after_cutoff.squares is 'The sum of the squared deviations of the scores of the prompt''s texts from their mean.';
comment on column page_means_after_cutoff.snapshot_id is 'The snapshot.';
comment on column page_means_after_cutoff.stratum is 'Always empty: all articles are one part.';
comment on column page_means_after_cutoff.part is 'Always empty: all articles are one part.';
comment on column page_means_after_cutoff.place is 'Always 1: the position of the only part.';

comment on view page_gaps_after_cutoff is 'Internal. The rows of page_gaps on articles_after_cutoff.';
comment on column page_gaps_after_cutoff.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column page_gaps_after_cutoff.metric is 'The metric.';
comment on column page_gaps_after_cutoff.evaluator_id is 'The evaluator that scored the texts.';
comment on column page_gaps_after_cutoff.page_id is 'The article of the prompt.';
comment on column page_gaps_after_cutoff.reason is 'The reason why there is no score.';
comment on column page_gaps_after_cutoff.texts is 'The number of the prompt''s texts without a score for this reason.';
comment on column page_gaps_after_cutoff.snapshot_id is 'The snapshot.';
comment on column page_gaps_after_cutoff.stratum is 'Always empty: all articles are one part.';
comment on column page_gaps_after_cutoff.part is 'Always empty: all articles are one part.';
comment on column page_gaps_after_cutoff.place is 'Always 1: the position of the only part.';

comment on view leaderboard_after_cutoff is 'One row per run and metric: the leaderboard on articles_after_cutoff, with the evaluators that column_evaluators names. Rows with different knowledge cutoffs may cover different articles. Scores of whole runs are left out.';
comment on column leaderboard_after_cutoff.model is 'The model; Wikipedia for the articles.';
comment on column leaderboard_after_cutoff.decoder is 'The decoder in canonical form; reference for the articles.';
comment on column leaderboard_after_cutoff.snapshot_id is 'The snapshot.';
comment on column leaderboard_after_cutoff.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column leaderboard_after_cutoff.knowledge_cutoff is 'The last day (UTC) to which the model''s training data can reach; NULL for the articles.';
comment on column leaderboard_after_cutoff.seen_share is 'The share of the run''s articles, from 0 to 1, that are left out because they are not later than the knowledge cutoff; NULL for the articles.';
comment on column leaderboard_after_cutoff.metric is 'The metric.';
comment on column leaderboard_after_cutoff.mean is 'The mean score over the texts on the later articles.';
comment on column leaderboard_after_cutoff.sd is 'The standard deviation over the texts on the later articles.';
comment on column leaderboard_after_cutoff.low is 'The lower end of the 95 % interval of the mean; NULL if there is no interval.';
comment on column leaderboard_after_cutoff.high is 'The upper end of the 95 % interval of the mean; NULL if there is no interval.';
comment on column leaderboard_after_cutoff.no_interval is 'Why there is no interval: too few prompts, or no variance; NULL if there is one.';
comment on column leaderboard_after_cutoff.pages is 'The number of prompts that have a score.';
comment on column leaderboard_after_cutoff.texts is 'The number of texts in the mean.';
comment on column leaderboard_after_cutoff.status is 'ok, or the number of texts that have a score, with the reasons why other texts have none.';
comment on column leaderboard_after_cutoff.evaluator_id is 'The evaluator that computed the scores.';
