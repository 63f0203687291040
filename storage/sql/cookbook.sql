-- name: most_repetitive
-- metrics: rep_4
-- Which texts of the newest run repeat themselves most?
select title, rep_4, text from texts where run_id = newest_run() order by rep_4 desc, title, sample limit 10;

-- name: least_like_the_article
-- metrics: sbert
-- Which texts of the newest run are least like the article?
select title, sbert, text from texts where run_id = newest_run() order by sbert, title, sample limit 10;

-- name: best_decoder_by_topic
-- Which decoder is each model's best on which topic, by S-BERT on the newest run's snapshot?
-- Only runs that were asked alike (`protocol`) are compared.
select value as topic, model, decoder, mean, texts, protocol from leaderboard_by_stratum where snapshot_id = newest_snapshot() and stratum = 'topic' and metric = 'sbert' and not is_reference qualify row_number() over (partition by value, model, protocol order by mean desc nulls last, run_id) = 1 order by topic, mean desc, model;

-- name: weakest_topics
-- metrics: sbert
-- On which topics are the newest run's texts least like the articles?
select topic, avg(sbert) as mean, count(sbert) as texts from texts where run_id = newest_run() group by topic order by mean, topic;

-- name: weakest_titles
-- metrics: sbert
-- On which titles are the newest run's texts least like the article?
select title, avg(sbert) as mean, count(sbert) as texts from texts where run_id = newest_run() group by page_id, title order by mean, title limit 10;

-- name: repetitive_share
-- metrics: rep_4
-- How many of the newest run's texts repeat a tenth or more of their 4-grams, topic by topic?
select topic, count_if(rep_4 >= 0.1) / count(rep_4) as share, count(rep_4) as texts from texts where run_id = newest_run() group by topic order by share desc, topic;

-- name: longest_texts
-- Which texts of the newest run are the longest?
select title, text_words, text from texts where run_id = newest_run() order by text_words desc, title, sample limit 10;

-- name: one_article
-- What did the newest run write of one article?
-- It is the first by its title: put another in its place.
select title, sample, text_words, text from texts where run_id = newest_run() and title = (select min(title) from articles where snapshot_id = newest_snapshot()) order by sample;

-- name: best_runs
-- metrics: sbert
-- Which runs on the newest run's snapshot are the best by S-BERT?
-- Rows are to be compared where their `protocol` is the same.
select model, decoder, sbert, sbert_low, sbert_high, protocol from leaderboard where snapshot_id = newest_snapshot() and not is_reference order by sbert desc, run_id;

-- name: beside_wikipedia
-- metrics: flesch_reading_ease
-- Are the texts easier to read than Wikipedia's own, by Flesch on the newest run's snapshot?
select model, decoder, is_reference, flesch_reading_ease, flesch_reading_ease_low as low, flesch_reading_ease_high as high from leaderboard where snapshot_id = newest_snapshot() order by flesch_reading_ease desc, run_id;

-- name: leaderboard
-- How do the runs on the newest run's snapshot compare, each metric with its standard deviation and 95 % interval?
select *
from leaderboard
where snapshot_id = newest_snapshot();

-- name: best_decoder
-- Which decoder is each model's best by S-BERT?
-- Only numbers of the same evaluator on the same snapshot are compared, of runs that were asked alike (`protocol`).
select model, decoder, mean, low, high, snapshot_id, evaluator_id, protocol
from scoring_summaries
join runs using (run_id)
where metric = 'sbert'
qualify row_number() over (
    partition by model, snapshot_id, evaluator_id, json_merge_patch(protocol, '{"samples": null, "keep": null}')
    order by mean desc nulls last, run_id) = 1
order by snapshot_id desc, mean desc;

-- name: top_p
-- What does top_p change, all other parameters of the decoder being the same?
select
    model, metric, (decoder_parameters ->> 'top_p')::double as top_p, mean, sd, low, high,
    json_merge_patch(decoder_parameters, '{"top_p": null}') as other_parameters, snapshot_id, evaluator_id, protocol
from scoring_summaries
join runs using (run_id)
where metric in ('sbert', 'rep_4', 'distinct_2') and decoder_parameters ->> 'top_p' is not null
order by snapshot_id desc, model, other_parameters::varchar, protocol::varchar, metric, evaluator_id, top_p;

-- name: distance_from_wikipedia
-- How far is each run from the articles that people wrote, in standard deviations of the articles?
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

-- name: paired_difference
-- By how much do the newest run and the one before it that was asked alike differ, prompt by prompt, with 95 % intervals?
with newest as (
    select run_id, snapshot_id, protocol from runs where status = 'complete' order by finished_at desc limit 1
),
before as (
    select runs.run_id
    from runs
    join newest on runs.snapshot_id = newest.snapshot_id and runs.run_id <> newest.run_id
    where status = 'complete' and same_protocol(runs.protocol, newest.protocol)
    order by finished_at desc
    limit 1
),
differences as (
    select metric, newer.mean - older.mean as difference
    from current_page_means as newer
    join current_page_means as older using (metric, evaluator_id, page_id)
    where newer.run_id = (select run_id from newest) and older.run_id = (select run_id from before)
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
    (select run_id from before) as older_run, (select run_id from newest) as newer_run
from estimates
order by metric;

-- name: worst_texts
-- Which texts of the newest run are the worst by S-BERT?
with newest as (
    select run_id, snapshot_id from runs where status = 'complete' order by finished_at desc limit 1
),
worst as (
    select run_id, page_id, sample, value
    from current_scores
    where run_id = (select run_id from newest) and metric = 'sbert' and value is not null
    order by value, page_id, sample
    limit 10
)
select value as sbert, title, sample, finish_reason, text
from worst
join completions using (run_id, page_id, sample)
left join articles on articles.snapshot_id = (select snapshot_id from newest) and articles.page_id = worst.page_id
order by value, worst.page_id, sample;

-- name: hardest_articles
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

-- name: percentiles
-- How are the newest run's scores distributed, metric by metric?
select
    metric, count(value) as texts, min(value) as lowest,
    quantile_cont(value, [0.05, 0.25, 0.5, 0.75, 0.95]) as percentiles_5_25_50_75_95,
    max(value) as highest
from current_scores
where run_id = (select run_id from runs where status = 'complete' order by finished_at desc limit 1)
group by metric
order by metric;

-- name: correlations
-- Which metrics go together? Correlations over the newest run's prompts, the strongest first.
with means as (
    select metric, page_id, mean
    from current_page_means
    where run_id = (select run_id from runs where status = 'complete' order by finished_at desc limit 1)
)
select one.metric, other.metric as other_metric, nullif(corr(one.mean, other.mean), 'nan') as correlation, count(*) as prompts
from means as one
join means as other on one.page_id = other.page_id and one.metric < other.metric
group by all
order by abs(correlation) desc nulls last, one.metric, other.metric;

-- name: old_against_new
-- Do models do better on old articles, which they may have been trained on, than on new ones?
-- The interval is that of two independent means, from theirs (Zou & Donner 2008); there is none where one of these has none.
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
-- What do runs score by S-BERT on the articles that their models cannot have seen, and what on all of them?
-- They are those on the newest run's snapshot.
-- Only runs whose model's knowledge cutoff is known; those of other cutoffs may stand on other articles.
select
    later.model, later.decoder, later.metric, later.mean as on_later, later.low, later.high, whole.mean as on_all,
    later.pages as later_articles, later.knowledge_cutoff, later.seen_share, later.snapshot_id, later.evaluator_id
from leaderboard_after_cutoff as later
join scoring_summaries as whole using (run_id, metric, evaluator_id)
where later.snapshot_id = newest_snapshot() and later.knowledge_cutoff is not null and later.metric = 'sbert'
order by later.model, later.decoder, run_id;

-- name: topics
-- What are models good at? S-BERT by what the articles are about, over the runs on the newest run's snapshot.
with newest as (
    select snapshot_id from runs where status = 'complete' order by finished_at desc limit 1
),
means as (
    select page_id, evaluator_id, sum(mean) as total, count(*) as runs
    from current_page_means
    where metric = 'sbert' and run_id in (select run_id from runs join newest using (snapshot_id))
    group by page_id, evaluator_id
)
select
    coalesce(topic, 'not known') as topic, sum(total) / sum(runs) as sbert, count(*) as articles, max(runs) as runs,
    evaluator_id
from means
left join topics on topics.page_id = means.page_id and topics.snapshot_id = (select snapshot_id from newest)
group by coalesce(topic, 'not known'), evaluator_id
order by sbert desc;

-- name: strata
-- What are models good at, short articles or long ones, with citations or without? S-BERT of the newest run by stratum.
-- The strata are length, citations, infobox, topic and age; a part of fewer than 13 articles has no interval.
select stratum, value as part, mean as sbert, low, high, no_interval, pages as articles, texts, evaluator_id
from leaderboard_by_stratum
where run_id = newest_run() and metric = 'sbert'
order by stratum, place, part;

-- name: lengths_and_ends
-- How long are the texts that each run wrote, and why did they end?
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
-- What became of every page that was considered for the newest snapshot?
select verdict, pages, pages / sum(pages) over () as share
from funnel
where snapshot_id = (select snapshot_id from latest_snapshots where kind = 'new' order by window_end desc limit 1)
order by pages desc, verdict;

-- name: staleness
-- How old is the newest snapshot of each wiki, and has any run been made on it?
select
    staleness.wiki, latest.snapshot_id, staleness.newest as published_at, staleness.days,
    (select count(*) from runs where runs.snapshot_id = latest.snapshot_id and status = 'complete') as complete_runs
from staleness
join latest_snapshots as latest on latest.wiki = staleness.wiki and latest.kind = 'new'
order by days desc, staleness.wiki;

-- name: provenance
-- Who made the numbers of each metric: which program, which model, how many runs?
select
    metric, name, version, model, left(model_sha256, 8) as weights, dtype, backend, parameters, dependencies,
    count(*) as scorings, max(finished_at) as newest, evaluator_id
from scoring_summaries
join evaluators using (evaluator_id)
group by all
order by metric, newest desc;

-- name: unscored
-- Which numbers could not be had, and why?
select model, decoder, metric, reason.key as reason, reason.value as texts, scored, run_id
from (
    select *, unnest(map_entries(reasons)) as reason
    from metric_summaries
)
left join runs using (run_id)
order by texts desc, run_id, metric, reason;

-- name: novelty
-- Which articles of the newest snapshot resemble an earlier text most?
select title, similarity, nearest_title, nearest_snapshot_id, permalink
from novelty
join articles using (snapshot_id, page_id)
where snapshot_id = (select snapshot_id from latest_snapshots where kind = 'new' order by window_end desc limit 1)
    and similarity is not null
order by similarity desc, title
limit 20;

-- name: growth
-- How many numbers were made in each month, and by how many evaluators?
select
    date_trunc('month', finished_at)::date as month, count(distinct run_id) as runs,
    count(distinct evaluator_id) as evaluators, sum(scored + unscored) as numbers, sum(unscored) as unscored
from scoring_summaries
group by all
order by month desc;

-- name: ci_check
-- Is the newest run worse than the one before it with the same decoder, snapshot and protocol? Rows are failures: a metric whose
-- paired 95 % interval lies wholly on the worse side. A check in CI passes where there is no row.
with newest as (
    select * from runs where status = 'complete' order by finished_at desc limit 1
),
before as (
    select runs.run_id
    from runs
    join newest using (snapshot_id, decoder, protocol)
    where runs.status = 'complete' and runs.run_id <> newest.run_id
    order by runs.finished_at desc
    limit 1
),
differences as (
    select metric, newer.mean - older.mean as difference
    from current_page_means as newer
    join current_page_means as older using (metric, evaluator_id, page_id)
    where newer.run_id = (select run_id from newest) and older.run_id = (select run_id from before)
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
    (select run_id from newest) as candidate
from estimates
join metrics using (metric)
where (direction = 'higher' and high < 0)
    or (direction = 'lower' and low > 0)
order by metric;

-- name: means
-- plot: bar
-- What is the mean of each run by one metric?
-- It is the first metric by its name for which one end is better: put another in its place.
select concat_ws(' ', model, split_part(decoder, ':', 1), left(run_id, 4)) as run, mean, low, high, evaluator_id
from runs
join metric_summaries using (run_id)
where metric = (select min_by(metric, (direction = 'none', metric)) from metric_summaries join metrics using (metric))
order by mean desc, run;

-- name: numbers_by_length
-- plot: points
-- Do the numbers of one metric go with the length of the newest run's texts?
-- It is the first metric of texts by its name for which one end is better: put another in its place.
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
-- How many of the articles were created on each day?
select created_at::date as day, count(*) as articles
from articles
group by day
order by day;
