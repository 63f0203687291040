-- name: most_repetitive
-- metrics: rep_4
-- Which texts of the newest run are the most repetitive?
select title, rep_4, text from texts where run_id = newest_run() order by rep_4 desc, title, sample limit 10;

-- name: least_like_the_article
-- metrics: sbert
-- Which texts of the newest run are least similar to their articles?
select title, sbert, text from texts where run_id = newest_run() order by sbert, title, sample limit 10;

-- name: best_decoder_by_topic
-- empty: no run on the newest run's snapshot is scored by sbert
-- Which decoder is best for each model and topic, by S-BERT on the newest run's snapshot?
-- Only runs with the same `protocol` are compared.
select value as topic, model, decoder, mean, texts, protocol from leaderboard_by_stratum where snapshot_id = newest_snapshot() and stratum = 'topic' and metric = 'sbert' and not is_reference qualify row_number() over (partition by value, model, protocol order by mean desc nulls last, run_id) = 1 order by topic, mean desc, model;

-- name: weakest_topics
-- metrics: sbert
-- On which topics are the newest run's texts least similar to their articles?
select topic, avg(sbert) as mean, count(sbert) as texts from texts where run_id = newest_run() group by topic order by mean, topic;

-- name: weakest_titles
-- metrics: sbert
-- For which titles are the newest run's texts least similar to their article?
select title, avg(sbert) as mean, count(sbert) as texts from texts where run_id = newest_run() group by page_id, title order by mean, title limit 10;

-- name: repetitive_share
-- metrics: rep_4
-- What share of the newest run's texts repeats at least a tenth of their 4-grams, by topic?
select topic, count_if(rep_4 >= 0.1) / count(rep_4) as share, count(rep_4) as texts from texts where run_id = newest_run() group by topic order by share desc, topic;

-- name: longest_texts
-- Which texts of the newest run are the longest?
select title, text_words, text from texts where run_id = newest_run() order by text_words desc, title, sample limit 10;

-- name: one_article
-- empty: the newest run has no text about the first article of its snapshot: name another title
-- What did the newest run write about one article?
-- The query takes the first title in alphabetical order; replace it with another title.
select title, sample, text_words, text from texts where run_id = newest_run() and title = (select min(title) from articles where snapshot_id = newest_snapshot()) order by sample;

-- name: best_runs
-- metrics: sbert
-- Which runs on the newest run's snapshot are the best by S-BERT?
-- Compare only rows with the same `protocol`.
select model, decoder, sbert, sbert_low, sbert_high, protocol from leaderboard where snapshot_id = newest_snapshot() and not is_reference order by sbert desc, run_id;

-- name: beside_wikipedia
-- metrics: flesch_reading_ease
-- Are the texts easier to read than the Wikipedia articles, by Flesch reading ease on the newest run's snapshot?
select model, decoder, is_reference, flesch_reading_ease, flesch_reading_ease_low as low, flesch_reading_ease_high as high from leaderboard where snapshot_id = newest_snapshot() order by flesch_reading_ease desc, run_id;

-- name: leaderboard
-- empty: no run on the newest run's snapshot has scores: `newwiki score --missing`
-- How do the runs on the newest run's snapshot compare, with the standard deviation and 95 % interval of each metric?
select *
from leaderboard
where snapshot_id = newest_snapshot();

-- name: best_decoder
-- empty: no run is scored by sbert: `newwiki score --missing --metrics sbert`
-- Which decoder is best for each model, by S-BERT?
-- Only runs with the same snapshot, evaluator and `protocol` are compared.
select model, decoder, mean, low, high, snapshot_id, evaluator_id, protocol
from scoring_summaries
join runs using (run_id)
where metric = 'sbert'
qualify row_number() over (
    partition by model, snapshot_id, evaluator_id, json_merge_patch(protocol, '{"samples": null, "keep": null}')
    order by mean desc nulls last, run_id) = 1
order by snapshot_id desc, mean desc;

-- name: top_p
-- empty: no run of a decoder with top_p is scored by sbert, rep_4 or distinct_2
-- What effect does top_p have if all other parameters of the decoder are the same?
select
    model, metric, (decoder_parameters ->> 'top_p')::double as top_p, mean, sd, low, high,
    json_merge_patch(decoder_parameters, '{"top_p": null}') as other_parameters, snapshot_id, evaluator_id, protocol
from scoring_summaries
join runs using (run_id)
where metric in ('sbert', 'rep_4', 'distinct_2') and decoder_parameters ->> 'top_p' is not null
order by snapshot_id desc, model, other_parameters::varchar, protocol::varchar, metric, evaluator_id, top_p;

-- name: distance_from_wikipedia
-- empty: no run and its articles are scored by the same evaluator: `newwiki score --missing`
-- How far is each run from the articles that people wrote, in standard deviations of the articles' scores?
select
    model, decoder, summaries.metric, summaries.mean, articles.mean as wikipedia,
    (summaries.mean - articles.mean) / nullif(articles.sd, 0) as deviations, snapshot_id,
    summaries.evaluator_id, protocol
from metric_summaries as summaries
join runs using (run_id)
join scoring_summaries as articles
    on articles.run_id = 'reference:' || snapshot_id
    and articles.metric = summaries.metric
    and articles.evaluator_id = summaries.evaluator_id
order by snapshot_id desc, model, decoder, summaries.metric;

-- name: against_the_article
-- empty: the newest run's texts and the articles are not scored by flesch_reading_ease
-- For which articles do the newest run's texts differ most from the article in readability (Flesch)?
select title, written.mean as of_the_run, article.mean as of_the_article, written.mean - article.mean as difference
from current_page_means as written
join page_means as article
    on article.run_id = 'reference:' || newest_snapshot()
    and article.metric = written.metric
    and article.evaluator_id = written.evaluator_id
    and article.page_id = written.page_id
join articles on articles.snapshot_id = newest_snapshot() and articles.page_id = written.page_id
where written.run_id = newest_run() and written.metric = 'flesch_reading_ease'
order by abs(difference) desc, title
limit 20;

-- name: paired_difference
-- empty: no earlier run has the newest run's snapshot, its protocol, and scores by the same evaluators
-- How much does the newest run differ from the previous run with the same snapshot and protocol?
-- The differences are paired by prompt and have 95 % intervals.
with before as (
    select run_id
    from runs
    where status = 'complete' and samples > 0 and snapshot_id = newest_snapshot() and run_id <> newest_run()
        and run_id not in (select run_id from hidden_runs)
        and same_protocol(protocol, (select protocol from runs where run_id = newest_run()))
    order by finished_at desc
    limit 1
),
differences as (
    select metric, newer.mean - older.mean as difference
    from current_page_means as newer
    join current_page_means as older using (metric, evaluator_id, page_id)
    where newer.run_id = newest_run() and older.run_id = (select run_id from before)
),
estimates as (
    select
        metric, count(*) as prompts, avg(difference) as mean_difference,
        stddev_samp(difference) / sqrt(count(*)) as error, count(*) - 1.0 as freedom,
        skewness(difference) / sqrt(count(*)) as skew
    from differences
    group by metric
)
select
    metric, mean_difference,
    interval_low(mean_difference, error, freedom, skew) as low, interval_high(mean_difference, error, freedom, skew) as high,
    no_interval(mean_difference, error, freedom) as no_interval, prompts,
    (select run_id from before) as older_run, newest_run() as newer_run
from estimates
order by metric;

-- name: worst_texts
-- empty: the newest run is not scored by sbert: `newwiki score --missing --metrics sbert`
-- Which texts of the newest run are the worst by S-BERT?
with worst as (
    select run_id, page_id, sample, value
    from current_scores
    where run_id = newest_run() and metric = 'sbert' and value is not null
    order by value, page_id, sample
    limit 10
)
select value as sbert, title, sample, finish_reason, text
from worst
join completions using (run_id, page_id, sample)
left join articles on articles.snapshot_id = newest_snapshot() and articles.page_id = worst.page_id
order by value, worst.page_id, sample;

-- name: hardest_articles
-- empty: no run on the newest run's snapshot is scored by sbert: `newwiki score --missing --metrics sbert`
-- Which articles are the hardest for all runs on the newest run's snapshot, by S-BERT?
with means as (
    select page_id, evaluator_id, avg(mean) as sbert, min(mean) as of_the_worst_run, max(mean) as of_the_best_run,
        count(*) as runs
    from current_page_means
    where metric = 'sbert' and run_id in (select run_id from runs where snapshot_id = newest_snapshot())
    group by page_id, evaluator_id
)
select title, sbert, of_the_worst_run, of_the_best_run, means.runs, evaluator_id, permalink
from means
join articles on articles.page_id = means.page_id and articles.snapshot_id = newest_snapshot()
order by sbert, title
limit 20;

-- name: percentiles
-- empty: the newest run has no scores: `newwiki score --missing`
-- How are the newest run's scores distributed, by metric?
select
    metric, count(value) as texts, min(value) as lowest,
    quantile_cont(value, [0.05, 0.25, 0.5, 0.75, 0.95]) as percentiles_5_25_50_75_95,
    max(value) as highest
from current_scores
where run_id = newest_run()
group by metric
order by metric;

-- name: correlations
-- empty: the newest run is scored by fewer than two metrics: `newwiki score --missing`
-- Which metrics are correlated? The query gives the correlations over the newest run's prompts, the strongest first.
with means as (
    select metric, page_id, mean
    from current_page_means
    where run_id = newest_run()
)
select one.metric, other.metric as other_metric, nullif(corr(one.mean, other.mean), 'nan') as correlation, count(*) as prompts
from means as one
join means as other on one.page_id = other.page_id and one.metric < other.metric
group by all
order by abs(correlation) desc nulls last, one.metric, other.metric;

-- name: old_against_new
-- empty: no model has scored runs with one decoder and protocol on new and on old articles of one wiki
-- Do models perform better on old articles, which may be in their training data, than on new articles?
-- The interval of the difference is computed from the intervals of the two independent means (Zou & Donner 2008). It is
-- NULL if one of the means has no interval.
select
    new_runs.model, new_runs.decoder, new.metric, new.mean as on_new, old.mean as on_old,
    old.mean - new.mean as difference,
    difference - sqrt((old.mean - old.low) ** 2 + (new.high - new.mean) ** 2) as low,
    difference + sqrt((old.high - old.mean) ** 2 + (new.mean - new.low) ** 2) as high,
    new_runs.snapshot_id as new_snapshot, old_runs.snapshot_id as old_snapshot,
    new.evaluator_id, new_runs.protocol
from runs as new_runs
join snapshots as new_snapshots on new_snapshots.snapshot_id = new_runs.snapshot_id and new_snapshots.kind = 'new'
join runs as old_runs on old_runs.model_sha256 = new_runs.model_sha256 and old_runs.decoder = new_runs.decoder
    and same_protocol(old_runs.protocol, new_runs.protocol)
join snapshots as old_snapshots on old_snapshots.snapshot_id = old_runs.snapshot_id and old_snapshots.kind = 'old'
join metric_summaries as new on new.run_id = new_runs.run_id
join metric_summaries as old
    on old.run_id = old_runs.run_id and old.metric = new.metric and old.evaluator_id = new.evaluator_id
where new_snapshots.wiki = old_snapshots.wiki
order by new.metric, abs(difference) desc;

-- name: after_cutoff
-- empty: no run on the newest run's snapshot is scored by sbert and has a model with a known knowledge cutoff
-- What is the S-BERT score of runs on the articles that their models cannot have seen, compared with all articles?
-- The query takes the runs on the newest run's snapshot whose model has a known knowledge cutoff.
-- Runs with different knowledge cutoffs may cover different articles.
select
    later.model, later.decoder, later.metric, later.mean as on_later, later.low, later.high, whole.mean as on_all,
    later.pages as later_articles, later.knowledge_cutoff, later.seen_share, later.snapshot_id, later.evaluator_id
from leaderboard_after_cutoff as later
join scoring_summaries as whole using (run_id, metric, evaluator_id)
where later.snapshot_id = newest_snapshot() and later.knowledge_cutoff is not null and later.metric = 'sbert'
order by later.model, later.decoder, run_id;

-- name: topics
-- empty: no run on the newest run's snapshot is scored by sbert: `newwiki score --missing --metrics sbert`
-- On which topics do models perform best? The query gives the mean S-BERT score by topic, over all runs on the newest
-- run's snapshot.
with means as (
    select page_id, evaluator_id, sum(mean) as total, count(*) as runs
    from current_page_means
    where metric = 'sbert' and run_id in (select run_id from runs where snapshot_id = newest_snapshot())
    group by page_id, evaluator_id
)
select
    coalesce(topic, 'not known') as topic, sum(total) / sum(runs) as sbert, count(*) as articles, max(runs) as runs,
    evaluator_id
from means
left join topics on topics.page_id = means.page_id and topics.snapshot_id = newest_snapshot()
group by coalesce(topic, 'not known'), evaluator_id
order by sbert desc;

-- name: strata
-- empty: the newest run is not scored by sbert: `newwiki score --missing --metrics sbert`
-- On which kinds of articles does the newest run perform best? The query gives the mean S-BERT score by stratum.
-- The strata are length, citations, infobox, topic, age, holes and tags. A part with fewer than 13 articles has no interval.
select stratum, value as part, mean as sbert, low, high, no_interval, pages as articles, texts, evaluator_id
from leaderboard_by_stratum
where run_id = newest_run() and metric = 'sbert'
order by stratum, place, part;

-- name: lengths_and_ends
-- empty: no run has texts: `newwiki evaluate MODEL --decoder greedy`
-- How long are the texts of each run, and why did they end?
with ends as (
    select
        run_id, finish_reason, count(*) as texts, sum(tokens) as tokens, sum(words) as words,
        count_if(truncated) as truncated
    from completions
    group by run_id, finish_reason
)
select
    model, decoder, snapshot_id, sum(texts) as texts, sum(ends.tokens) as tokens, sum(words) / sum(texts) as words_a_text,
    sum(truncated) / sum(texts) as truncated, map_from_entries(list((finish_reason, texts) order by finish_reason)) as ends
from ends
join runs using (run_id)
group by run_id, model, decoder, snapshot_id
order by snapshot_id desc, model, decoder;

-- name: funnel
-- plot: bar
-- empty: no snapshot of new pages is published: `newwiki refresh`
-- How many candidates of the newest snapshot were selected, and why were the others dropped?
select verdict, pages, pages / sum(pages) over () as share
from funnel
where snapshot_id = (select snapshot_id from latest_snapshots where kind = 'new' order by window_end desc limit 1)
order by pages desc, verdict;

-- name: staleness
-- empty: no snapshot of new pages is published: `newwiki refresh`
-- How old is the newest snapshot of each wiki, and how many complete runs does it have?
select
    staleness.wiki, latest.snapshot_id, staleness.newest as published_at, staleness.days,
    (select count(*) from runs where runs.snapshot_id = latest.snapshot_id and status = 'complete') as complete_runs
from staleness
join latest_snapshots as latest on latest.wiki = staleness.wiki and latest.kind = 'new'
order by days desc, staleness.wiki;

-- name: provenance
-- empty: nothing is scored: `newwiki score --missing`
-- Which evaluators computed the scores of each metric, with which models, and for how many runs?
select
    metric, name, version, model, left(model_sha256, 8) as weights, dtype, backend, parameters, dependencies,
    count(*) as scorings, max(finished_at) as newest, evaluator_id
from scoring_summaries
join evaluators using (evaluator_id)
group by all
order by metric, newest desc;

-- name: unscored
-- empty: each text that was scored has a score by each metric
-- How many texts have no score by each metric, and why?
select model, decoder, metric, reason.key as reason, reason.value as texts, scored, run_id
from (
    select *, unnest(map_entries(reasons)) as reason
    from metric_summaries
)
left join runs using (run_id)
order by texts desc, run_id, metric, reason;

-- name: novelty
-- empty: no article of the newest snapshot has a similarity to an earlier text
-- Which articles of the newest snapshot are most similar to an earlier text?
select title, similarity, nearest_title, nearest_snapshot_id, permalink
from novelty
join articles using (snapshot_id, page_id)
where snapshot_id = (select snapshot_id from latest_snapshots where kind = 'new' order by window_end desc limit 1)
    and similarity is not null
order by similarity desc, title
limit 20;

-- name: growth
-- empty: nothing is scored: `newwiki score --missing`
-- How many scores were computed in each month, and by how many evaluators?
select
    date_trunc('month', finished_at)::date as month, count(distinct run_id) as runs,
    count(distinct evaluator_id) as evaluators, sum(scored + unscored) as numbers, sum(unscored) as unscored
from scoring_summaries
group by all
order by month desc;

-- name: ci_check
-- empty: no metric is surely worse, or no earlier run has the newest run's decoder, snapshot and protocol
-- Is the newest run worse than the previous run with the same decoder, snapshot and protocol? Each row is a metric whose paired
-- 95 % interval lies entirely on the worse side. A CI check passes if there are no rows.
with before as (
    select runs.run_id
    from runs
    join (from runs where run_id = newest_run()) as newest using (snapshot_id, decoder, protocol)
    where runs.status = 'complete' and runs.run_id <> newest_run()
        and runs.run_id not in (select run_id from hidden_runs)
    order by runs.finished_at desc
    limit 1
),
differences as (
    select metric, newer.mean - older.mean as difference
    from current_page_means as newer
    join current_page_means as older using (metric, evaluator_id, page_id)
    where newer.run_id = newest_run() and older.run_id = (select run_id from before)
),
estimates as (
    select
        metric, count(*) as prompts, avg(difference) as mean_difference, stddev_samp(difference) / sqrt(count(*)) as error,
        interval_low(mean_difference, error, count(*) - 1.0, skewness(difference) / sqrt(count(*))) as low,
        interval_high(mean_difference, error, count(*) - 1.0, skewness(difference) / sqrt(count(*))) as high
    from differences
    group by metric
)
select
    metric, direction as better, mean_difference, low, high, prompts, (select run_id from before) as baseline,
    newest_run() as candidate
from estimates
join metrics using (metric)
where (direction = 'higher' and high < 0)
    or (direction = 'lower' and low > 0)
order by metric;

-- name: means
-- plot: bar
-- empty: nothing is scored: `newwiki score --missing`
-- What is the mean of each run by one metric?
-- The query takes the first metric by name whose direction is higher or lower; replace it with another metric.
select concat_ws(' ', model, split_part(decoder, ':', 1), left(run_id, 4)) as run, mean, low, high, evaluator_id
from runs
join metric_summaries using (run_id)
where metric = (select min_by(metric, (direction = 'none', metric)) from metric_summaries join metrics using (metric))
order by mean desc, run;

-- name: numbers_by_length
-- plot: points
-- empty: the newest run has no scores of single texts: `newwiki score --missing`
-- Do the scores of one metric depend on the length of the newest run's texts?
-- The query takes the first metric of single texts by name whose direction is higher or lower; replace it with another metric.
with chosen as (
    select min_by(metric, (direction = 'none', metric)) as metric
    from metric_summaries
    join metrics using (metric)
    where run_id = newest_run() and scope = 'text'
)
select words, value, metric, evaluator_id
from completions
join current_scores using (run_id, page_id, sample)
where run_id = newest_run() and metric = (select metric from chosen);

-- name: lengths
-- plot: histogram
-- How many words do the newest run's completions have?
select words, decoder
from completions
join runs using (run_id)
where run_id = newest_run();

-- name: articles_by_day
-- plot: line
-- empty: no snapshot is published: `newwiki refresh`
-- How many articles were created on each day?
select created_at::date as day, count(*) as articles
from articles
group by day
order by day;
