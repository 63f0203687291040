-- The bounds between parts of a stratum: for length, the thirds of the snapshot; for citations and holes, the numbers below.
create or replace macro length_stratum(words, a_third, two_thirds) as
    case when words <= a_third then {'value': 'short', 'place': 1} when words <= two_thirds then {'value': 'medium', 'place': 2}
    else {'value': 'long', 'place': 3} end;
create or replace macro citations_stratum(citations) as
    case when citations = 0 then {'value': 'none', 'place': 1} when citations <= 5 then {'value': '1 to 5', 'place': 2}
    when citations > 5 then {'value': '6 or more', 'place': 3} else {'value': 'unknown', 'place': 4} end;
create or replace macro infobox_stratum(infoboxes) as
    case when infoboxes > 0 then {'value': 'yes', 'place': 1} when infoboxes = 0 then {'value': 'no', 'place': 2}
    else {'value': 'unknown', 'place': 3} end;
create or replace macro holes_stratum(holes) as
    case when holes = 0 then {'value': 'none', 'place': 1} when holes <= 2 then {'value': '1 to 2', 'place': 2}
    when holes > 2 then {'value': '3 or more', 'place': 3} else {'value': 'unknown', 'place': 4} end;
create or replace macro tags_stratum(tags, kinds) as
    case when tags = 0 then {'value': 'none', 'place': 1} when tags > 0 then {'value': kinds, 'place': 2}
    else {'value': 'unknown', 'place': 3} end;

create or replace view strata as
with lengths as (
    select snapshot_id, quantile_disc(words, 1 / 3) as a_third, quantile_disc(words, 2 / 3) as two_thirds
    from stored_articles
    group by snapshot_id
),
tagged as (
    select snapshot_id, page_id, string_agg(distinct kind, ', ' order by kind) as kinds
    from article_tags
    group by snapshot_id, page_id
),
known as (
    select
        stored_articles.snapshot_id, page_id,
        {
            'length': length_stratum(words, a_third, two_thirds),
            'citations': citations_stratum(citations),
            'infobox': infobox_stratum(infoboxes),
            'holes': holes_stratum(holes),
            'topic': {'value': topic_label(topics.page_id, topics.wikibase_item, topics.topic), 'place': if(topics.topic is null, 2, 1)},
            'age': {'value': strftime(created_at, if(kind = 'old', '%Y', '%Y-%m')), 'place': 1},
            'tags': tags_stratum(tags, kinds)
        } as of
    from stored_articles
    join snapshots using (snapshot_id)
    join lengths using (snapshot_id)
    left join article_structure using (snapshot_id, page_id)
    left join topics using (snapshot_id, page_id)
    left join tagged using (snapshot_id, page_id)
),
-- Unions of two at a time: DuckDB prints a longer chain in more than one way, and views are compared by their printed form
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
of_rest as (
    select snapshot_id, page_id, 'age' as stratum, of.age.value as value, of.age.place as place from known
    union all
    select snapshot_id, page_id, 'holes', of.holes.value, of.holes.place from known
),
of_text as (
    select * from of_prose union all select * from of_page
),
of_history as (
    select * from of_rest
    union all
    select snapshot_id, page_id, 'tags' as stratum, of.tags.value as value, of.tags.place as place from known
)
select * from of_text
union all
select * from of_history;

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
select means.*, snapshot_id, stratum, strata.value as part, place
from page_means_with_reading as means
join on_snapshots using (run_id)
join strata using (snapshot_id, page_id);

create or replace view page_gaps_by_stratum as
with on_snapshots as (
    select run_id, snapshot_id from runs union all select run_id, snapshot_id from reference_texts
)
select gaps.*, snapshot_id, stratum, strata.value as part, place
from page_gaps_with_reading as gaps
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
join scorings_with_reading using (run_id, evaluator_id)
left join metrics using (metric);

create or replace view stratum_summaries as
from summaries_by_stratum('page_means_by_stratum', 'page_gaps_by_stratum');

create or replace view leaderboard_by_stratum as
with named as (
    select run_id, model, decoder, snapshot_id, protocol from runs where run_id not in (select run_id from hidden_runs)
    union all
    select run_id, model, 'reference', snapshot_id, null from reference_texts
)
select
    stratum, value, place, model, decoder, snapshot_id, run_id, protocol, is_reference(run_id) as is_reference, metric, mean, sd, low, high, no_interval, pages,
    scored as texts, coverage(scored, unscored, reasons, scored + unscored) as status, evaluator_id
from stratum_summaries
join column_evaluators using (metric, evaluator_id)
join named using (run_id, snapshot_id);

comment on view strata is 'One row per article and stratum: the part to which the article belongs. Articles are divided by length (thirds of the snapshot by words), citations, infobox, topic, age, holes and maintenance templates.';
comment on column strata.snapshot_id is 'The snapshot.';
comment on column strata.page_id is 'The article.';
comment on column strata.stratum is 'The stratum: length, citations, infobox, topic, age, holes or tags.';
comment on column strata.value is 'The part. length: short, medium or long. citations: none, 1 to 5, or 6 or more. infobox: yes or no. holes: none, 1 to 2, or 3 or more. topic: the topic. age: the month of creation, or the year in a snapshot of old articles. tags: the kinds of the maintenance templates (article_tags) in alphabetical order, or none. unknown if the property was not stored or looked up.';
comment on column strata.place is 'The position of the part among those of the stratum.';

comment on view scores_by_stratum is 'One row per score of a finished scoring and stratum, with the part to which the article belongs.';
comment on column scores_by_stratum.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column scores_by_stratum.page_id is 'The article.';
comment on column scores_by_stratum.sample is 'The number of the completion among those of its prompt, from 0; 0 for an article.';
comment on column scores_by_stratum.metric is 'The metric.';
comment on column scores_by_stratum.value is 'The score; NULL if there is none.';
comment on column scores_by_stratum.status is 'ok, or the reason why there is no score.';
comment on column scores_by_stratum.evaluator_id is 'The evaluator that computed the score.';
comment on column scores_by_stratum.stratum is 'The stratum: length, citations, infobox, topic, age, holes or tags.';
comment on column scores_by_stratum.part is 'The part of the stratum, as in strata.value.';
comment on column scores_by_stratum.place is 'The position of the part among those of the stratum.';

comment on view page_means_by_stratum is 'Internal. One row per row of page_means and stratum, with the part to which the article belongs.';
comment on column page_means_by_stratum.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column page_means_by_stratum.metric is 'The metric.';
comment on column page_means_by_stratum.evaluator_id is 'The evaluator that computed the scores.';
comment on column page_means_by_stratum.page_id is 'The article of the prompt.';
comment on column page_means_by_stratum.mean is 'The mean score of the prompt''s texts that have a score.';
comment on column page_means_by_stratum.texts is 'The number of the prompt''s texts that have a score.';
comment on column page_means_by_stratum.squares is 'The sum of the squared deviations of the scores of the prompt''s texts from their mean.';
comment on column page_means_by_stratum.snapshot_id is 'The snapshot.';
comment on column page_means_by_stratum.stratum is 'The stratum: length, citations, infobox, topic, age, holes or tags.';
comment on column page_means_by_stratum.part is 'The part of the stratum, as in strata.value.';
comment on column page_means_by_stratum.place is 'The position of the part among those of the stratum.';

comment on view page_gaps_by_stratum is 'Internal. One row per row of page_gaps and stratum, with the part to which the article belongs.';
comment on column page_gaps_by_stratum.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column page_gaps_by_stratum.metric is 'The metric.';
comment on column page_gaps_by_stratum.evaluator_id is 'The evaluator that scored the texts.';
comment on column page_gaps_by_stratum.page_id is 'The article of the prompt.';
comment on column page_gaps_by_stratum.reason is 'The reason why there is no score.';
comment on column page_gaps_by_stratum.texts is 'The number of the prompt''s texts without a score for this reason.';
comment on column page_gaps_by_stratum.snapshot_id is 'The snapshot.';
comment on column page_gaps_by_stratum.stratum is 'The stratum: length, citations, infobox, topic, age, holes or tags.';
comment on column page_gaps_by_stratum.part is 'The part of the stratum, as in strata.value.';
comment on column page_gaps_by_stratum.place is 'The position of the part among those of the stratum.';

comment on view stratum_summaries is 'One row per run, metric, evaluator and part of a stratum, with the columns of scoring_summaries. Scores of whole runs have no parts.';
comment on column stratum_summaries.snapshot_id is 'The snapshot.';
comment on column stratum_summaries.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column stratum_summaries.metric is 'The metric.';
comment on column stratum_summaries.evaluator_id is 'The evaluator that computed the scores.';
comment on column stratum_summaries.stratum is 'The stratum: length, citations, infobox, topic, age, holes or tags.';
comment on column stratum_summaries.value is 'The part of the stratum, as in strata.value.';
comment on column stratum_summaries.place is 'The position of the part among those of the stratum.';
comment on column stratum_summaries.finished_at is 'The time at which the scoring was finished.';
comment on column stratum_summaries.mean is 'The mean score over the texts of the part.';
comment on column stratum_summaries.sd is 'The standard deviation over the texts of the part.';
comment on column stratum_summaries.low is 'The lower end of the 95 % interval of the mean; NULL if there is no interval.';
comment on column stratum_summaries.high is 'The upper end of the 95 % interval of the mean; NULL if there is no interval.';
comment on column stratum_summaries.no_interval is 'Why there is no interval: too few prompts, or no variance; NULL if there is one.';
comment on column stratum_summaries.scored is 'The number of texts that have a score.';
comment on column stratum_summaries.unscored is 'The number of texts that have no score.';
comment on column stratum_summaries.pages is 'The number of prompts that have a score.';
comment on column stratum_summaries.standard_error is 'The standard error of the mean, clustered by prompt.';
comment on column stratum_summaries.freedom is 'The degrees of freedom of the standard error: the effective number of prompts minus 1.';
comment on column stratum_summaries.skew is 'The skewness of the mean, estimated from the prompts.';
comment on column stratum_summaries.reasons is 'The reasons why texts have no score, with the number of texts for each reason.';

comment on view leaderboard_by_stratum is 'One row per run, metric and part of a stratum: the leaderboard by stratum, with the evaluators that column_evaluators names.';
comment on column leaderboard_by_stratum.stratum is 'The stratum: length, citations, infobox, topic, age, holes or tags.';
comment on column leaderboard_by_stratum.value is 'The part of the stratum, as in strata.value.';
comment on column leaderboard_by_stratum.place is 'The position of the part among those of the stratum.';
comment on column leaderboard_by_stratum.model is 'The model; Wikipedia for the articles.';
comment on column leaderboard_by_stratum.decoder is 'The decoder in canonical form; reference for the articles.';
comment on column leaderboard_by_stratum.snapshot_id is 'The snapshot.';
comment on column leaderboard_by_stratum.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column leaderboard_by_stratum.protocol is 'The settings that decide which texts are scored. Rows with the same protocol can be compared. NULL for the articles, which can be compared with any row.';
comment on column leaderboard_by_stratum.is_reference is 'Whether the row describes the articles instead of a run.';
comment on column leaderboard_by_stratum.metric is 'The metric.';
comment on column leaderboard_by_stratum.mean is 'The mean score over the texts of the part.';
comment on column leaderboard_by_stratum.sd is 'The standard deviation over the texts of the part.';
comment on column leaderboard_by_stratum.low is 'The lower end of the 95 % interval of the mean; NULL if there is no interval.';
comment on column leaderboard_by_stratum.high is 'The upper end of the 95 % interval of the mean; NULL if there is no interval.';
comment on column leaderboard_by_stratum.no_interval is 'Why there is no interval: too few prompts, or no variance; NULL if there is one.';
comment on column leaderboard_by_stratum.pages is 'The number of prompts that have a score.';
comment on column leaderboard_by_stratum.texts is 'The number of texts in the mean.';
comment on column leaderboard_by_stratum.status is 'ok, or the number of texts that have a score, with the reasons why other texts have none.';
comment on column leaderboard_by_stratum.evaluator_id is 'The evaluator that computed the scores.';
