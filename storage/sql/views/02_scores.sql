-- The correct contents of page_means and page_gaps, computed from the scores when a scoring is finished. Sums are taken in
-- the order of pages and samples, so that they have the same bits in whatever order scores were stored.
create or replace view page_means_anew as
select
    run_id, metric, evaluator_id, page_id, avg(value order by sample) as mean, count(value) as texts,
    var_pop(value order by sample) * count(value) as squares
from scores
join scorings using (run_id, evaluator_id)
where value is not null
group by run_id, metric, evaluator_id, page_id;

create or replace view page_gaps_anew as
select run_id, metric, evaluator_id, page_id, status as reason, count(*) as texts
from scores
join scorings using (run_id, evaluator_id)
where value is null
group by run_id, metric, evaluator_id, page_id, status;

-- Summaries over prompts. The standard error is that of the mean over texts, clustered by prompt, because completions of one
-- prompt are correlated: CR2, with Satterthwaite's degrees of freedom and the skewness of the mean, as in
-- evaluators/statistics.py. Texts without a score (see `status`) are left out and counted. The parameters name the relations
-- to summarize: page_means and page_gaps with the columns snapshot_id, stratum, part and place. Each part of a stratum has a
-- summary. The column snapshot_id lets a query for one snapshot skip all others.
create or replace macro summaries_of(means_asked, gaps_asked) as table
with whole as (
    select
        snapshot_id, run_id, metric, evaluator_id, stratum, part, count(*) as pages, sum(texts) as texts,
        sum(texts * mean order by page_id) / sum(texts) as mean, avg(mean order by page_id) as middle
    from query_table(means_asked)
    group by snapshot_id, run_id, metric, evaluator_id, stratum, part
),
prompts as (
    select
        snapshot_id, run_id, metric, evaluator_id, stratum, part, place, page_id, pages, whole.texts as all_texts, whole.mean as whole_mean,
        one.texts as texts, one.squares as squares, one.texts / whole.texts as share, nullif(1 - share, 0) as others,
        one.mean - whole.mean as apart, one.mean - middle as centred
    from query_table(means_asked) as one
    join whole using (snapshot_id, run_id, metric, evaluator_id, stratum, part)
),
sums as (
    select
        snapshot_id, run_id, metric, evaluator_id, stratum, part,
        any_value(place) as place,
        any_value(pages) as pages,
        any_value(all_texts)::bigint as texts,
        any_value(whole_mean) as mean,
        sum(squares + texts * apart ** 2 order by page_id) as deviations,
        sqrt(sum((share * apart) ** 2 / others order by page_id)) as standard_error,
        sum(share ** 2 order by page_id) as shares,
        sum(share ** 3 order by page_id) as cubes,
        sum(share ** 2 / others order by page_id) as pulls,
        sum((share ** 2 / others) ** 2 order by page_id) as square_pulls,
        sum(centred ** 2 order by page_id) / any_value(pages) as second,
        sum(centred ** 3 order by page_id) / any_value(pages) as third
    from prompts
    group by snapshot_id, run_id, metric, evaluator_id, stratum, part
),
errors as (
    select
        snapshot_id, run_id, metric, evaluator_id, stratum, part, place, pages, texts, mean, standard_error,
        sqrt(deviations / nullif(texts - 1, 0)) as sd,
        1 / (shares + pulls ** 2 - square_pulls) as freedom,
        if(pages > 2 and second > 0, sqrt(pages * (pages - 1.0)) / (pages - 2) * third / second ** 1.5, 0)
            * cubes / shares ** 1.5 as skew
    from sums
),
reasons as (
    select snapshot_id, run_id, metric, evaluator_id, stratum, part, any_value(place) as place, reason, sum(texts)::bigint as texts
    from query_table(gaps_asked)
    group by snapshot_id, run_id, metric, evaluator_id, stratum, part, reason
),
gaps as (
    select
        snapshot_id, run_id, metric, evaluator_id, stratum, part, any_value(place) as place, sum(texts)::bigint as texts,
        map_from_entries(list((reason, texts) order by reason)) as reasons
    from reasons
    group by snapshot_id, run_id, metric, evaluator_id, stratum, part
)
select
    snapshot_id,
    run_id,
    metric,
    evaluator_id,
    stratum,
    part,
    coalesce(errors.place, gaps.place) as place,
    mean,
    sd,
    standard_error,
    freedom,
    skew,
    coalesce(pages, 0) as pages,
    coalesce(errors.texts, 0) as scored,
    coalesce(gaps.texts, 0) as unscored,
    coalesce(reasons, map()) as reasons
from errors
full join gaps using (snapshot_id, run_id, metric, evaluator_id, stratum, part);

create or replace view whole_page_means as
select *, '' as snapshot_id, '' as stratum, '' as part, 1 as place from page_means;

create or replace view whole_page_gaps as
select *, '' as snapshot_id, '' as stratum, '' as part, 1 as place from page_gaps;

create or replace view summaries_anew as
select * exclude (snapshot_id, stratum, part, place) from summaries_of('whole_page_means', 'whole_page_gaps');

-- The 97.5 % point of Student's t distribution for one degree of freedom or more, to a millionth: the point of the normal
-- distribution, and a polynomial fitted to the logarithm of the ratio of the two.
create or replace macro student_t_975(df) as
    1.959963984540054 * exp((1.21036474 + (0.707574447 + (0.152556548 + (-0.238838188 + (-0.0429405972 + (0.080124865 + (
        0.0568483914 + (-0.0800416239 + 0.0235158787 / df) / df) / df) / df) / df) / df) / df) / df) / df);

-- Whether two numbers differ by more than rounding: by more than this share of the second number, or of 1 if it is smaller.
create or replace macro apart(stored, anew, share) as
    stored is distinct from anew and not coalesce(abs(stored - anew) <= share * greatest(abs(anew), 1), false);

-- Why a mean with this standard error and these degrees of freedom has no interval; NULL if it has one.
create or replace macro no_interval(mean, standard_error, freedom) as
    case
        when mean is null then null
        when coalesce(freedom, 0) + 1 < {fewest_clusters} - 1e-06 then 'too few prompts'
        when standard_error <= 1e-12 * abs(mean) then 'no variance'
    end;

-- The t statistic that Hall's transformation maps to `x`, for a mean with this skewness.
create or replace macro untransformed(x, skew) as
    if(abs(coalesce(skew, 0)) < 1e-06, x, 3 / skew * (cbrt(1 + skew * (x - skew / 6)) - 1));

-- The ends of the 95 % interval of a mean, as in evaluators/statistics.py; NULL if there is no interval (see no_interval).
create or replace macro interval_low(mean, standard_error, freedom, skew) as
    case when no_interval(mean, standard_error, freedom) is null then
        mean - standard_error * greatest(student_t_975(freedom), untransformed(student_t_975(freedom), skew))
    end;
create or replace macro interval_high(mean, standard_error, freedom, skew) as
    case when no_interval(mean, standard_error, freedom) is null then
        mean + standard_error * greatest(student_t_975(freedom), -untransformed(-student_t_975(freedom), skew))
    end;

-- An end of an interval, limited to the range that its metric declares.
create or replace macro within_range(number, minimum, maximum) as
    case when number is not null then least(greatest(number, minimum), maximum) end;

create or replace view scoring_summaries as
select
    run_id, metric, evaluator_id, finished_at, mean, sd,
    within_range(interval_low(mean, standard_error, freedom, skew), minimum, maximum) as low,
    within_range(interval_high(mean, standard_error, freedom, skew), minimum, maximum) as high,
    no_interval(mean, standard_error, freedom) as no_interval,
    scored, unscored, pages, standard_error, freedom, skew, reasons, is_read
from summaries_with_reading
join scorings_with_reading using (run_id, evaluator_id)
left join metrics using (metric)
union all
select
    run_id, metric, evaluator_id, finished_at, value, spread, null, null, null,
    if(value is null, 0, texts), if(value is null, texts, 0), null, null, null, null,
    if(value is null, map {status: texts}, map()), false
from run_scores
join scorings using (run_id, evaluator_id);

-- How many texts a mean includes, in words: `ok`, or `1 of 10: no_entities 9`, the most frequent reason first. Texts of the
-- `total` that the evaluator did not read (a costly evaluator's budget is smaller than the run) are `not scored`.
create or replace macro coverage(scored, unscored, reasons, total) as if(
    scored >= total,
    'ok',
    printf('%d of %d: %s', scored, total, array_to_string(
        list_transform(
            list_reverse_sort(list_filter(
                list_concat(
                    list_transform(map_entries(reasons), lambda one: {'texts': one.value, 'reason': one.key}),
                    [{'texts': (total - scored - unscored)::bigint, 'reason': 'not scored'}]
                ),
                lambda one: one.texts > 0
            )),
            lambda one: one.reason || ' ' || one.texts
        ),
        ', '
    ))
);

-- The number of texts of a run to score: its kept texts. Runs without kept texts have no row.
create or replace view kept_texts as
select run_id, kept_prompts as prompts, kept_texts as texts from runs where kept_texts > 0;

-- The newest summary of each run and metric. Scores of different evaluators are never mixed.
create or replace view metric_summaries as
select
    run_id, metric, evaluator_id, mean, sd, low, high, no_interval, scored, unscored, pages, standard_error, freedom, skew,
    reasons, is_read
from scoring_summaries
qualify row_number() over (partition by run_id, metric order by finished_at desc, evaluator_id) = 1;

-- Where many runs are listed together, a column has the scores of one evaluator. As in `newwiki leaderboard`, it is the newest
-- evaluator that has scored every run with the metric (hidden runs do not count); if there is none, it is the newest, because a view cannot refuse.
-- Scores of the articles matter only for metrics that no run has, because any evaluator of a run also scores the articles.
-- Claimed scores matter only for metrics without other scores, so that a bundle cannot replace a local evaluator by its own.
create or replace view column_evaluators_anew as
with scored as (
    select run_id, metric, evaluator_id from stored_summaries
    union all
    select run_id, metric, evaluator_id from run_scores
),
of_runs as (
    select metric, evaluator_id, run_id, finished_at, level = 'claimed' as is_claimed
    from scored
    join scorings using (run_id, evaluator_id)
    left join levels using (run_id, evaluator_id)
    where run_id not in (select run_id from hidden_runs)
    qualify not is_reference(run_id) or bool_and(is_reference(run_id)) over (partition by metric)
),
made as (
    select * from of_runs qualify not is_claimed or bool_and(is_claimed) over (partition by metric)
),
wanted as (
    select metric, count(distinct run_id) as runs from made group by metric
),
makers as (
    select metric, evaluator_id, count(distinct run_id) as runs, max(finished_at) as newest from made group by metric, evaluator_id
)
select metric, evaluator_id
from makers
join wanted using (metric)
qualify row_number() over (partition by metric order by makers.runs = wanted.runs desc, newest desc, evaluator_id desc) = 1;

create or replace view column_evaluators as
select metric, evaluator_id from stored_column_evaluators;

-- The scoring that a column reports for each run and metric: by the column's evaluator, or else the newest, which is not shown.
create or replace view column_scorings as
select run_id, metric, evaluator_id, column_evaluators.evaluator_id is not null as shown
from scoring_summaries
left join column_evaluators using (metric, evaluator_id)
qualify row_number() over (partition by run_id, metric order by shown desc, finished_at desc, evaluator_id) = 1;

create or replace view current_scores as
select scores.*
from scores
join metric_summaries using (run_id, metric, evaluator_id);

create or replace view current_page_means as
select means.*
from page_means_with_reading as means
join metric_summaries using (run_id, metric, evaluator_id);

create or replace view current_run_scores as
select run_scores.*
from run_scores
join metric_summaries using (run_id, metric, evaluator_id);

comment on view page_means_anew is 'Internal. The correct contents of page_means, computed from the scores. Slow; for checks.';
comment on column page_means_anew.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column page_means_anew.metric is 'The metric.';
comment on column page_means_anew.evaluator_id is 'The evaluator that computed the scores.';
comment on column page_means_anew.page_id is 'The article of the prompt.';
comment on column page_means_anew.mean is 'The mean score of the prompt''s texts that have a score.';
comment on column page_means_anew.texts is 'The number of the prompt''s texts that have a score.';
comment on column page_means_anew.squares is 'The sum of the squared deviations of the scores of the prompt''s texts from their mean.';

comment on view page_gaps_anew is 'Internal. The correct contents of page_gaps, computed from the scores. Slow; for checks.';
comment on column page_gaps_anew.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column page_gaps_anew.metric is 'The metric.';
comment on column page_gaps_anew.evaluator_id is 'The evaluator that scored the texts.';
comment on column page_gaps_anew.page_id is 'The article of the prompt.';
comment on column page_gaps_anew.reason is 'The reason why there is no score.';
comment on column page_gaps_anew.texts is 'The number of the prompt''s texts without a score for this reason.';

comment on view whole_page_means is 'Internal. The rows of page_means with all articles as one part, from which summaries_anew is computed.';
comment on column whole_page_means.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column whole_page_means.metric is 'The metric.';
comment on column whole_page_means.evaluator_id is 'The evaluator that computed the scores.';
comment on column whole_page_means.page_id is 'The article of the prompt.';
comment on column whole_page_means.mean is 'The mean score of the prompt''s texts that have a score.';
comment on column whole_page_means.texts is 'The number of the prompt''s texts that have a score.';
comment on column whole_page_means.squares is 'The sum of the squared deviations of the scores of the prompt''s texts from their mean.';
comment on column whole_page_means.snapshot_id is 'Always empty: all snapshots are one part.';
comment on column whole_page_means.stratum is 'Always empty: all articles are one part.';
comment on column whole_page_means.part is 'Always empty: all articles are one part.';
comment on column whole_page_means.place is 'Always 1: the position of the only part.';

comment on view whole_page_gaps is 'Internal. The rows of page_gaps with all articles as one part, from which summaries_anew is computed.';
comment on column whole_page_gaps.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column whole_page_gaps.metric is 'The metric.';
comment on column whole_page_gaps.evaluator_id is 'The evaluator that scored the texts.';
comment on column whole_page_gaps.page_id is 'The article of the prompt.';
comment on column whole_page_gaps.reason is 'The reason why there is no score.';
comment on column whole_page_gaps.texts is 'The number of the prompt''s texts without a score for this reason.';
comment on column whole_page_gaps.snapshot_id is 'Always empty: all snapshots are one part.';
comment on column whole_page_gaps.stratum is 'Always empty: all articles are one part.';
comment on column whole_page_gaps.part is 'Always empty: all articles are one part.';
comment on column whole_page_gaps.place is 'Always 1: the position of the only part.';

comment on view summaries_anew is 'Internal. The correct contents of stored_summaries, computed from page_means and page_gaps. Slow; for checks.';
comment on column summaries_anew.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column summaries_anew.metric is 'The metric.';
comment on column summaries_anew.evaluator_id is 'The evaluator that computed the scores.';
comment on column summaries_anew.mean is 'The mean score over texts.';
comment on column summaries_anew.sd is 'The standard deviation over texts.';
comment on column summaries_anew.standard_error is 'The standard error of the mean, clustered by prompt.';
comment on column summaries_anew.freedom is 'The degrees of freedom of the standard error: the effective number of prompts minus 1.';
comment on column summaries_anew.skew is 'The skewness of the mean, estimated from the prompts.';
comment on column summaries_anew.pages is 'The number of prompts that have a score.';
comment on column summaries_anew.scored is 'The number of texts that have a score.';
comment on column summaries_anew.unscored is 'The number of texts that have no score.';
comment on column summaries_anew.reasons is 'The reasons why texts have no score, with the number of texts for each reason.';

comment on view scoring_summaries is 'One row per run, metric and evaluator with a finished scoring: the mean with its standard deviation and 95 % interval.';
comment on column scoring_summaries.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column scoring_summaries.metric is 'The metric.';
comment on column scoring_summaries.evaluator_id is 'The evaluator that computed the scores.';
comment on column scoring_summaries.finished_at is 'The time at which the scoring was finished.';
comment on column scoring_summaries.mean is 'The mean score over texts; for a metric of whole runs, the score of the run.';
comment on column scoring_summaries.sd is 'The standard deviation over texts; for a metric of whole runs, the standard deviation over draws.';
comment on column scoring_summaries.low is 'The lower end of the 95 % interval of the mean; NULL if there is no interval, and for a score of a whole run.';
comment on column scoring_summaries.high is 'The upper end of the 95 % interval of the mean; NULL if there is no interval, and for a score of a whole run.';
comment on column scoring_summaries.no_interval is 'Why there is no interval: too few prompts, or no variance; NULL if there is one.';
comment on column scoring_summaries.scored is 'The number of texts that have a score.';
comment on column scoring_summaries.unscored is 'The number of texts that have no score.';
comment on column scoring_summaries.pages is 'The number of prompts that have a score; NULL for a score of a whole run.';
comment on column scoring_summaries.standard_error is 'The standard error of the mean, clustered by prompt.';
comment on column scoring_summaries.freedom is 'The degrees of freedom of the standard error: the effective number of prompts minus 1.';
comment on column scoring_summaries.skew is 'The skewness of the mean, estimated from the prompts.';
comment on column scoring_summaries.reasons is 'The reasons why texts have no score, with the number of texts for each reason.';
comment on column scoring_summaries.is_read is 'Whether the scores are those of the likelihood run of the run''s model (readings).';

comment on view metric_summaries is 'One row per run and metric: the summary of the newest finished scoring. Scores of several evaluators are never mixed.';
comment on column metric_summaries.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column metric_summaries.metric is 'The metric.';
comment on column metric_summaries.evaluator_id is 'The evaluator that computed the scores.';
comment on column metric_summaries.mean is 'The mean score over texts; for a metric of whole runs, the score of the run.';
comment on column metric_summaries.sd is 'The standard deviation over texts; for a metric of whole runs, the standard deviation over draws.';
comment on column metric_summaries.low is 'The lower end of the 95 % interval of the mean; NULL if there is no interval, and for a score of a whole run.';
comment on column metric_summaries.high is 'The upper end of the 95 % interval of the mean; NULL if there is no interval, and for a score of a whole run.';
comment on column metric_summaries.no_interval is 'Why there is no interval: too few prompts, or no variance; NULL if there is one.';
comment on column metric_summaries.scored is 'The number of texts that have a score.';
comment on column metric_summaries.unscored is 'The number of texts that have no score.';
comment on column metric_summaries.pages is 'The number of prompts that have a score; NULL for a score of a whole run.';
comment on column metric_summaries.standard_error is 'The standard error of the mean, clustered by prompt.';
comment on column metric_summaries.freedom is 'The degrees of freedom of the standard error: the effective number of prompts minus 1.';
comment on column metric_summaries.skew is 'The skewness of the mean, estimated from the prompts.';
comment on column metric_summaries.reasons is 'The reasons why texts have no score, with the number of texts for each reason.';
comment on column metric_summaries.is_read is 'Whether the scores are those of the likelihood run of the run''s model (readings).';

comment on view kept_texts is 'Internal. One row per run: the number of texts to score.';
comment on column kept_texts.run_id is 'The run.';
comment on column kept_texts.prompts is 'The number of prompts that have kept texts.';
comment on column kept_texts.texts is 'The number of kept texts.';

comment on view column_evaluators_anew is 'Internal. The correct contents of stored_column_evaluators, computed from all summaries. For checks.';
comment on column column_evaluators_anew.metric is 'The metric.';
comment on column column_evaluators_anew.evaluator_id is 'The evaluator.';

comment on view column_evaluators is 'One row per metric: the evaluator whose scores fill the metric''s column where many runs are listed together, as in leaderboard and scores_wide. It is the newest evaluator that has scored every run with this metric, or else the newest.';
comment on column column_evaluators.metric is 'The metric.';
comment on column column_evaluators.evaluator_id is 'The evaluator.';

comment on view column_scorings is 'Internal. One row per run and metric: the evaluator whose score fills the metric''s column. If the column belongs to another evaluator, the row names the newest evaluator of the run, whose score is not shown.';
comment on column column_scorings.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column column_scorings.metric is 'The metric.';
comment on column column_scorings.evaluator_id is 'The evaluator.';
comment on column column_scorings.shown is 'Whether the metric''s column belongs to this evaluator.';

comment on view current_scores is 'One row per text and metric: the score from the newest finished scoring of the run by this metric.';
comment on column current_scores.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column current_scores.page_id is 'The article.';
comment on column current_scores.sample is 'The number of the completion among those of its prompt, from 0; 0 for an article.';
comment on column current_scores.metric is 'The metric.';
comment on column current_scores.value is 'The score; NULL if there is none.';
comment on column current_scores.status is 'ok, or the reason why there is no score.';
comment on column current_scores.evaluator_id is 'The evaluator that computed the score.';

comment on view current_page_means is 'One row per prompt and metric: the mean score of the prompt''s texts, from the newest finished scoring of the run by this metric.';
comment on column current_page_means.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column current_page_means.metric is 'The metric.';
comment on column current_page_means.evaluator_id is 'The evaluator that computed the scores.';
comment on column current_page_means.page_id is 'The article of the prompt.';
comment on column current_page_means.mean is 'The mean score of the prompt''s texts that have a score.';
comment on column current_page_means.texts is 'The number of the prompt''s texts that have a score.';
comment on column current_page_means.squares is 'The sum of the squared deviations of the scores of the prompt''s texts from their mean.';

comment on view current_run_scores is 'One row per run and metric: the score of the whole run, from the newest finished scoring by this metric.';
comment on column current_run_scores.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column current_run_scores.metric is 'The metric.';
comment on column current_run_scores.value is 'The score of the run, a mean over draws; NULL if there is none.';
comment on column current_run_scores.spread is 'The standard deviation over the draws or seeds; NULL if there is only one.';
comment on column current_run_scores.status is 'ok, or the reason why there is no score.';
comment on column current_run_scores.evaluator_id is 'The evaluator that computed the score.';
comment on column current_run_scores.texts is 'The number of kept texts of the run at the time of scoring.';
