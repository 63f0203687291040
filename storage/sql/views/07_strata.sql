-- Where strata end: of the articles' length at the thirds of their snapshot, of citations here.
create or replace macro length_stratum(words, a_third, two_thirds) as
    case when words <= a_third then {'value': 'short', 'place': 1} when words <= two_thirds then {'value': 'medium', 'place': 2}
    else {'value': 'long', 'place': 3} end;
create or replace macro citations_stratum(citations) as
    case when citations = 0 then {'value': 'none', 'place': 1} when citations <= 5 then {'value': '1 to 5', 'place': 2}
    when citations > 5 then {'value': '6 or more', 'place': 3} else {'value': 'unknown', 'place': 4} end;
create or replace macro infobox_stratum(infoboxes) as
    case when infoboxes > 0 then {'value': 'yes', 'place': 1} when infoboxes = 0 then {'value': 'no', 'place': 2}
    else {'value': 'unknown', 'place': 3} end;

create or replace view strata as
with lengths as (
    select snapshot_id, quantile_disc(words, 1 / 3) as a_third, quantile_disc(words, 2 / 3) as two_thirds
    from stored_articles
    group by snapshot_id
),
known as (
    select
        stored_articles.snapshot_id, page_id,
        {
            'length': length_stratum(words, a_third, two_thirds),
            'citations': citations_stratum(citations),
            'infobox': infobox_stratum(infoboxes),
            'topic': {'value': topic_label(topics.page_id, topics.wikibase_item, topics.topic), 'place': if(topics.topic is null, 2, 1)},
            'age': {'value': strftime(created_at, if(kind = 'old', '%Y', '%Y-%m')), 'place': 1}
        } as of
    from stored_articles
    join snapshots using (snapshot_id)
    join lengths using (snapshot_id)
    left join article_structure using (snapshot_id, page_id)
    left join topics using (snapshot_id, page_id)
),
-- Two at a time: DuckDB writes a longer chain in more than one way, and views are compared as it writes them
of_prose as (
    select snapshot_id, page_id, 'length' as stratum, of.length.value as value, of.length.place as place from known
    union all
    select snapshot_id, page_id, 'citations', of.citations.value, of.citations.place from known
),
of_page as (
    select snapshot_id, page_id, 'infobox' as stratum, of.infobox.value as value, of.infobox.place as place from known
    union all
    select snapshot_id, page_id, 'topic', of.topic.value, of.topic.place from known
),
of_both as (
    select * from of_prose union all select * from of_page
)
select * from of_both
union all
select snapshot_id, page_id, 'age', of.age.value, of.age.place from known;

create or replace view scores_by_stratum as
with on_snapshots as (
    select run_id, snapshot_id from runs union all select run_id, snapshot_id from reference_texts
)
select scores.*, stratum, strata.value as part, place
from scores
join scorings using (run_id, evaluator_id)
join on_snapshots using (run_id)
join strata using (snapshot_id, page_id);

create or replace view page_means_by_stratum as
with on_snapshots as (
    select run_id, snapshot_id from runs union all select run_id, snapshot_id from reference_texts
)
select page_means.*, snapshot_id, stratum, strata.value as part, place
from page_means
join on_snapshots using (run_id)
join strata using (snapshot_id, page_id);

create or replace view page_gaps_by_stratum as
with on_snapshots as (
    select run_id, snapshot_id from runs union all select run_id, snapshot_id from reference_texts
)
select page_gaps.*, snapshot_id, stratum, strata.value as part, place
from page_gaps
join on_snapshots using (run_id)
join strata using (snapshot_id, page_id);

create or replace macro summaries_by_stratum(means_asked, gaps_asked) as table
select
    snapshot_id, run_id, metric, evaluator_id, stratum, part as value, place, finished_at, mean, sd,
    within_range(interval_low(mean, standard_error, freedom, skew), minimum, maximum) as low,
    within_range(interval_high(mean, standard_error, freedom, skew), minimum, maximum) as high,
    no_interval(mean, standard_error, freedom) as no_interval,
    scored, unscored, pages, standard_error, freedom, skew, reasons
from summaries_of(means_asked, gaps_asked)
join scorings using (run_id, evaluator_id)
left join metrics using (metric);

create or replace view stratum_summaries as
from summaries_by_stratum('page_means_by_stratum', 'page_gaps_by_stratum');

create or replace view leaderboard_by_stratum as
with named as (
    select run_id, model, decoder, snapshot_id, protocol from runs
    union all
    select run_id, model, 'reference', snapshot_id, null from reference_texts
)
select
    stratum, value, place, model, decoder, snapshot_id, run_id, protocol, is_reference(run_id) as is_reference, metric, mean, sd, low, high, no_interval, pages,
    scored as texts, coverage(scored, unscored, reasons, scored + unscored) as status, evaluator_id
from stratum_summaries
join column_evaluators using (metric, evaluator_id)
join named using (run_id, snapshot_id);

comment on view strata is 'To which part of its snapshot each article belongs: by length (thirds of the snapshot''s words), citations, infobox, topic and age.';
comment on column strata.snapshot_id is 'The snapshot.';
comment on column strata.page_id is 'The article.';
comment on column strata.stratum is 'length, citations, infobox, topic or age.';
comment on column strata.value is 'The part: short, medium or long; none, 1 to 5, 6 or more; yes or no; the topic; the month of creation, in a snapshot of old articles the year. unknown where it was not kept or looked up.';
comment on column strata.place is 'Its place among the parts.';

comment on view scores_by_stratum is 'The numbers of finished scorings, each in one part of every stratum.';
comment on column scores_by_stratum.run_id is 'The run, or reference:SNAPSHOT.';
comment on column scores_by_stratum.page_id is 'The article.';
comment on column scores_by_stratum.sample is 'The completion among those of its prompt; 0 for an article.';
comment on column scores_by_stratum.metric is 'The metric.';
comment on column scores_by_stratum.value is 'The number; NULL where it cannot be had.';
comment on column scores_by_stratum.status is 'ok, or why there is no number.';
comment on column scores_by_stratum.evaluator_id is 'Who made it.';
comment on column scores_by_stratum.stratum is 'The stratum.';
comment on column scores_by_stratum.part is 'The part of it.';
comment on column scores_by_stratum.place is 'Its place among the parts.';

comment on view page_means_by_stratum is 'Internal. The means by prompt, each in one part of every stratum.';
comment on column page_means_by_stratum.run_id is 'The run, or reference:SNAPSHOT.';
comment on column page_means_by_stratum.metric is 'The metric.';
comment on column page_means_by_stratum.evaluator_id is 'Who made the numbers.';
comment on column page_means_by_stratum.page_id is 'The prompt''s article.';
comment on column page_means_by_stratum.mean is 'The mean over the prompt''s texts that have a number.';
comment on column page_means_by_stratum.texts is 'How many these are.';
comment on column page_means_by_stratum.squares is 'The sum of their squared deviations from this mean.';
comment on column page_means_by_stratum.snapshot_id is 'The snapshot.';
comment on column page_means_by_stratum.stratum is 'The stratum.';
comment on column page_means_by_stratum.part is 'The part of it.';
comment on column page_means_by_stratum.place is 'Its place among the parts.';

comment on view page_gaps_by_stratum is 'Internal. The texts without a number by prompt, each in one part of every stratum.';
comment on column page_gaps_by_stratum.run_id is 'The run, or reference:SNAPSHOT.';
comment on column page_gaps_by_stratum.metric is 'The metric.';
comment on column page_gaps_by_stratum.evaluator_id is 'Who was to make the numbers.';
comment on column page_gaps_by_stratum.page_id is 'The prompt''s article.';
comment on column page_gaps_by_stratum.reason is 'Why there is no number.';
comment on column page_gaps_by_stratum.texts is 'Of how many of its texts.';
comment on column page_gaps_by_stratum.snapshot_id is 'The snapshot.';
comment on column page_gaps_by_stratum.stratum is 'The stratum.';
comment on column page_gaps_by_stratum.part is 'The part of it.';
comment on column page_gaps_by_stratum.place is 'Its place among the parts.';

comment on view stratum_summaries is 'As scoring_summaries, for each part of each stratum; numbers of whole runs have no parts.';
comment on column stratum_summaries.snapshot_id is 'The snapshot.';
comment on column stratum_summaries.run_id is 'The run, or reference:SNAPSHOT for the articles themselves.';
comment on column stratum_summaries.metric is 'The metric.';
comment on column stratum_summaries.evaluator_id is 'Who made the numbers.';
comment on column stratum_summaries.stratum is 'The stratum.';
comment on column stratum_summaries.value is 'The part of it.';
comment on column stratum_summaries.place is 'Its place among the parts.';
comment on column stratum_summaries.finished_at is 'When the scoring was finished.';
comment on column stratum_summaries.mean is 'The mean over the part''s texts.';
comment on column stratum_summaries.sd is 'The standard deviation over them.';
comment on column stratum_summaries.low is 'The lower end of the mean''s 95 % interval; NULL where there is none.';
comment on column stratum_summaries.high is 'The upper end.';
comment on column stratum_summaries.no_interval is 'Why there is no interval: too few prompts, or no variance; NULL where there is one.';
comment on column stratum_summaries.scored is 'How many texts have a number.';
comment on column stratum_summaries.unscored is 'How many have none.';
comment on column stratum_summaries.pages is 'How many prompts have a number.';
comment on column stratum_summaries.standard_error is 'The mean''s standard error, clustered by prompt.';
comment on column stratum_summaries.freedom is 'The error''s degrees of freedom: one less than the prompts that it is worth.';
comment on column stratum_summaries.skew is 'The skewness of the mean that the prompts suggest.';
comment on column stratum_summaries.reasons is 'Why texts have no number, with how many for each reason.';

comment on view leaderboard_by_stratum is 'The leaderboard cut by strata, a row for each run, metric and part, by the evaluators that column_evaluators names.';
comment on column leaderboard_by_stratum.stratum is 'length, citations, infobox, topic or age.';
comment on column leaderboard_by_stratum.value is 'The part of it.';
comment on column leaderboard_by_stratum.place is 'Its place among the parts.';
comment on column leaderboard_by_stratum.model is 'The model; Wikipedia for the articles.';
comment on column leaderboard_by_stratum.decoder is 'The decoder in canonical form.';
comment on column leaderboard_by_stratum.snapshot_id is 'The snapshot.';
comment on column leaderboard_by_stratum.run_id is 'The run.';
comment on column leaderboard_by_stratum.protocol is 'What decides which texts are judged: rows that have the same can be compared. NULL for the articles, which go with any.';
comment on column leaderboard_by_stratum.is_reference is 'Whether it is of articles, and not of a run.';
comment on column leaderboard_by_stratum.metric is 'The metric.';
comment on column leaderboard_by_stratum.mean is 'The mean over the part''s texts.';
comment on column leaderboard_by_stratum.sd is 'The standard deviation over them.';
comment on column leaderboard_by_stratum.low is 'The lower end of the mean''s 95 % interval; NULL where there is none.';
comment on column leaderboard_by_stratum.high is 'The upper end.';
comment on column leaderboard_by_stratum.no_interval is 'Why there is no interval: too few prompts, or no variance; NULL where there is one.';
comment on column leaderboard_by_stratum.pages is 'How many prompts have a number.';
comment on column leaderboard_by_stratum.texts is 'How many texts the mean stands on.';
comment on column leaderboard_by_stratum.status is 'ok, or how many of the scored texts have a number and why not the others.';
comment on column leaderboard_by_stratum.evaluator_id is 'The evaluator.';
