-- What is stored of finished scorings by prompt must be this, from the scores themselves: it is read when a scoring is
-- finished. Sums are taken in the order of pages and samples, so that they have the same bits in whatever order scores were
-- stored.
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

-- What prompts amount to together. The standard error is that of the mean over texts, clustered by prompt, because completions
-- of one prompt are correlated: CR2, with Satterthwaite's degrees of freedom and the skewness of the mean, as in
-- evaluators/statistics.py. Null texts (see `status`) are left out of all and counted. The parameters name what is summarised:
-- page_means and page_gaps with the columns snapshot_id, stratum, part and place, of which each part of a stratum has a summary:
-- the snapshot, so that who asks for one leaves all others out.
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

-- The 97.5 % point of Student's t distribution from one degree of freedom on, to a millionth: the normal one, and a
-- polynomial fitted to the logarithm of their ratio.
create or replace macro student_t_975(df) as
    1.959963984540054 * exp((1.21036474 + (0.707574447 + (0.152556548 + (-0.238838188 + (-0.0429405972 + (0.080124865 + (
        0.0568483914 + (-0.0800416239 + 0.0235158787 / df) / df) / df) / df) / df) / df) / df) / df) / df);

-- Whether two numbers differ by more than rounding: by this share of the second one, or of one where that is smaller.
create or replace macro apart(stored, anew, share) as
    stored is distinct from anew and not coalesce(abs(stored - anew) <= share * greatest(abs(anew), 1), false);

-- Why there is no interval of a mean with this standard error and these degrees of freedom, NULL where there is one.
create or replace macro no_interval(mean, standard_error, freedom) as
    case
        when mean is null then null
        when coalesce(freedom, 0) + 1 < {fewest_clusters} - 1e-06 then 'too few prompts'
        when standard_error <= 1e-12 * abs(mean) then 'no variance'
    end;

-- The t statistic that Hall's transformation makes `x` of, where the mean has this skewness.
create or replace macro untransformed(x, skew) as
    if(abs(coalesce(skew, 0)) < 1e-06, x, 3 / skew * (cbrt(1 + skew * (x - skew / 6)) - 1));

-- Both ends of a mean's 95 % interval, as in evaluators/statistics.py; NULL where there is none (see no_interval).
create or replace macro interval_low(mean, standard_error, freedom, skew) as
    case when no_interval(mean, standard_error, freedom) is null then
        mean - standard_error * greatest(student_t_975(freedom), untransformed(student_t_975(freedom), skew))
    end;
create or replace macro interval_high(mean, standard_error, freedom, skew) as
    case when no_interval(mean, standard_error, freedom) is null then
        mean + standard_error * greatest(student_t_975(freedom), -untransformed(-student_t_975(freedom), skew))
    end;

-- An end of an interval within the range that its metric declares: nothing lies outside.
create or replace macro within_range(number, minimum, maximum) as
    case when number is not null then least(greatest(number, minimum), maximum) end;

create or replace view scoring_summaries as
select
    run_id, metric, evaluator_id, finished_at, mean, sd,
    within_range(interval_low(mean, standard_error, freedom, skew), minimum, maximum) as low,
    within_range(interval_high(mean, standard_error, freedom, skew), minimum, maximum) as high,
    no_interval(mean, standard_error, freedom) as no_interval,
    scored, unscored, pages, standard_error, freedom, skew, reasons
from stored_summaries
join scorings using (run_id, evaluator_id)
left join metrics using (metric)
union all
select
    run_id, metric, evaluator_id, finished_at, value, spread, null, null, null,
    if(value is null, 0, texts), if(value is null, texts, 0), null, null, null, null,
    if(value is null, map {status: texts}, map())
from run_scores
join scorings using (run_id, evaluator_id);

-- How many texts a number stands on, in words: `ok`, or `1 of 10: no_entities 9`, the most frequent reason first. Those of the
-- `total` that nobody asked about (a costly evaluator's budget is smaller than the run) are `not scored`.
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

-- How many texts of a run there are to score: those that it has kept, or more where that is not known.
create or replace view kept_texts as
select run_id, kept_prompts as prompts, kept_texts as texts from runs where kept_texts > 0;

-- Of each run and metric the newest. An evaluator's numbers are never mixed with another's.
create or replace view metric_summaries as
select
    run_id, metric, evaluator_id, mean, sd, low, high, no_interval, scored, unscored, pages, standard_error, freedom, skew,
    reasons
from scoring_summaries
qualify row_number() over (partition by run_id, metric order by finished_at desc, evaluator_id) = 1;

-- Where many runs stand beside each other a column holds the numbers of one evaluator: as in `newwiki leaderboard` the newest
-- that has scored every run which has the metric, or, as a view cannot refuse, the newest. The articles are scored by
-- whoever scored a run, so they decide only what no run has. Numbers that others only claim decide only what nobody else has
-- scored, so that a bundle cannot put an evaluator of its own in the place of ours.
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

-- Of each run and metric the scoring that a column can tell of: the column's own, or else the newest, which is not shown.
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
select page_means.*
from page_means
join metric_summaries using (run_id, metric, evaluator_id);

create or replace view current_run_scores as
select run_scores.*
from run_scores
join metric_summaries using (run_id, metric, evaluator_id);

comment on view page_means_anew is 'Internal. What page_means must be, from the scores themselves: slow, for checks.';
comment on column page_means_anew.run_id is 'The run, or reference:SNAPSHOT.';
comment on column page_means_anew.metric is 'The metric.';
comment on column page_means_anew.evaluator_id is 'Who made the numbers.';
comment on column page_means_anew.page_id is 'The prompt''s article.';
comment on column page_means_anew.mean is 'The mean over the prompt''s texts that have a number.';
comment on column page_means_anew.texts is 'How many these are.';
comment on column page_means_anew.squares is 'The sum of their squared deviations from this mean.';

comment on view page_gaps_anew is 'Internal. What page_gaps must be, from the scores themselves: slow, for checks.';
comment on column page_gaps_anew.run_id is 'The run, or reference:SNAPSHOT.';
comment on column page_gaps_anew.metric is 'The metric.';
comment on column page_gaps_anew.evaluator_id is 'Who was to make the numbers.';
comment on column page_gaps_anew.page_id is 'The prompt''s article.';
comment on column page_gaps_anew.reason is 'Why there is no number.';
comment on column page_gaps_anew.texts is 'Of how many of its texts.';

comment on view whole_page_means is 'Internal. The means by prompt as one part, of which summaries_anew is made.';
comment on column whole_page_means.run_id is 'The run, or reference:SNAPSHOT.';
comment on column whole_page_means.metric is 'The metric.';
comment on column whole_page_means.evaluator_id is 'Who made the numbers.';
comment on column whole_page_means.page_id is 'The prompt''s article.';
comment on column whole_page_means.mean is 'The mean over the prompt''s texts that have a number.';
comment on column whole_page_means.texts is 'How many these are.';
comment on column whole_page_means.squares is 'The sum of their squared deviations from this mean.';
comment on column whole_page_means.snapshot_id is 'Empty: it is not asked for.';
comment on column whole_page_means.stratum is 'Empty: all are one part.';
comment on column whole_page_means.part is 'Empty likewise.';
comment on column whole_page_means.place is 'Its place.';

comment on view whole_page_gaps is 'Internal. The texts without a number by prompt as one part, of which summaries_anew is made.';
comment on column whole_page_gaps.run_id is 'The run, or reference:SNAPSHOT.';
comment on column whole_page_gaps.metric is 'The metric.';
comment on column whole_page_gaps.evaluator_id is 'Who was to make the numbers.';
comment on column whole_page_gaps.page_id is 'The prompt''s article.';
comment on column whole_page_gaps.reason is 'Why there is no number.';
comment on column whole_page_gaps.texts is 'Of how many of its texts.';
comment on column whole_page_gaps.snapshot_id is 'Empty: it is not asked for.';
comment on column whole_page_gaps.stratum is 'Empty: all are one part.';
comment on column whole_page_gaps.part is 'Empty likewise.';
comment on column whole_page_gaps.place is 'Its place.';

comment on view summaries_anew is 'Internal. What stored_summaries must be, from page_means and page_gaps: slow, for checks.';
comment on column summaries_anew.run_id is 'The run, or reference:SNAPSHOT.';
comment on column summaries_anew.metric is 'The metric.';
comment on column summaries_anew.evaluator_id is 'Who made the numbers.';
comment on column summaries_anew.mean is 'The mean over texts.';
comment on column summaries_anew.sd is 'Their standard deviation.';
comment on column summaries_anew.standard_error is 'The mean''s standard error, clustered by prompt.';
comment on column summaries_anew.freedom is 'The error''s degrees of freedom: one less than the prompts that it is worth.';
comment on column summaries_anew.skew is 'The skewness of the mean that the prompts suggest.';
comment on column summaries_anew.pages is 'How many prompts have a number.';
comment on column summaries_anew.scored is 'How many texts have a number.';
comment on column summaries_anew.unscored is 'How many have none.';
comment on column summaries_anew.reasons is 'Why, with the number of texts for each reason.';

comment on view scoring_summaries is 'Every finished scoring by metric: the mean with its standard deviation and 95 % interval.';
comment on column scoring_summaries.run_id is 'The run, or reference:SNAPSHOT for the articles themselves.';
comment on column scoring_summaries.metric is 'The metric.';
comment on column scoring_summaries.evaluator_id is 'Who made the numbers.';
comment on column scoring_summaries.finished_at is 'When the scoring was finished.';
comment on column scoring_summaries.mean is 'The mean over texts; of a whole run its number.';
comment on column scoring_summaries.sd is 'The standard deviation over texts; of a whole run that over draws.';
comment on column scoring_summaries.low is 'The lower end of the mean''s 95 % interval; NULL where there is none, and for a number of a whole run.';
comment on column scoring_summaries.high is 'The upper end.';
comment on column scoring_summaries.no_interval is 'Why there is no interval: too few prompts, or no variance; NULL where there is one.';
comment on column scoring_summaries.scored is 'How many texts have a number.';
comment on column scoring_summaries.unscored is 'How many have none.';
comment on column scoring_summaries.pages is 'How many prompts have a number; NULL for a number of a whole run.';
comment on column scoring_summaries.standard_error is 'The mean''s standard error, clustered by prompt.';
comment on column scoring_summaries.freedom is 'The error''s degrees of freedom: one less than the prompts that it is worth.';
comment on column scoring_summaries.skew is 'The skewness of the mean that the prompts suggest.';
comment on column scoring_summaries.reasons is 'Why texts have no number, with how many for each reason.';

comment on view metric_summaries is 'The newest finished scoring of each run and metric: one number for each, never mixed from several evaluators.';
comment on column metric_summaries.run_id is 'The run, or reference:SNAPSHOT for the articles themselves.';
comment on column metric_summaries.metric is 'The metric.';
comment on column metric_summaries.evaluator_id is 'Who made the numbers.';
comment on column metric_summaries.mean is 'The mean over texts; of a whole run its number.';
comment on column metric_summaries.sd is 'The standard deviation over texts; of a whole run that over draws.';
comment on column metric_summaries.low is 'The lower end of the mean''s 95 % interval; NULL where there is none, and for a number of a whole run.';
comment on column metric_summaries.high is 'The upper end.';
comment on column metric_summaries.no_interval is 'Why there is no interval: too few prompts, or no variance; NULL where there is one.';
comment on column metric_summaries.scored is 'How many texts have a number.';
comment on column metric_summaries.unscored is 'How many have none.';
comment on column metric_summaries.pages is 'How many prompts have a number; NULL for a number of a whole run.';
comment on column metric_summaries.standard_error is 'The mean''s standard error, clustered by prompt.';
comment on column metric_summaries.freedom is 'The error''s degrees of freedom: one less than the prompts that it is worth.';
comment on column metric_summaries.skew is 'The skewness of the mean that the prompts suggest.';
comment on column metric_summaries.reasons is 'Why texts have no number, with how many for each reason.';

comment on view kept_texts is 'Internal. How many texts of each run there are to score.';
comment on column kept_texts.run_id is 'The run.';
comment on column kept_texts.prompts is 'How many prompts have kept texts.';
comment on column kept_texts.texts is 'How many texts are kept.';

comment on view column_evaluators_anew is 'Internal. What stored_column_evaluators must be, from all summaries: for checks.';
comment on column column_evaluators_anew.metric is 'The metric.';
comment on column column_evaluators_anew.evaluator_id is 'The evaluator.';

comment on view column_evaluators is 'Whose numbers stand in a metric''s column where many runs are beside each other, as in leaderboard and scores_wide: the newest that has scored every run which has the metric, or else the newest.';
comment on column column_evaluators.metric is 'The metric.';
comment on column column_evaluators.evaluator_id is 'The evaluator.';

comment on view column_scorings is 'Internal. Of each run and metric who made the number that stands in the metric''s column, or, where the column is another evaluator''s, who made the number that is not shown.';
comment on column column_scorings.run_id is 'The run, or reference:SNAPSHOT.';
comment on column column_scorings.metric is 'The metric.';
comment on column column_scorings.evaluator_id is 'The evaluator.';
comment on column column_scorings.shown is 'Whether the column is this evaluator''s.';

comment on view current_scores is 'The numbers of single texts, of each run and metric those of the newest finished scoring.';
comment on column current_scores.run_id is 'The run, or reference:SNAPSHOT for the articles themselves.';
comment on column current_scores.page_id is 'The article.';
comment on column current_scores.sample is 'The completion among those of its prompt; 0 for an article.';
comment on column current_scores.metric is 'The metric.';
comment on column current_scores.value is 'The number; NULL where it cannot be had.';
comment on column current_scores.status is 'ok, or why there is no number.';
comment on column current_scores.evaluator_id is 'Who made it.';

comment on view current_page_means is 'The means by prompt, of each run and metric those of the newest finished scoring.';
comment on column current_page_means.run_id is 'The run, or reference:SNAPSHOT.';
comment on column current_page_means.metric is 'The metric.';
comment on column current_page_means.evaluator_id is 'Who made the numbers.';
comment on column current_page_means.page_id is 'The prompt''s article.';
comment on column current_page_means.mean is 'The mean over the prompt''s texts that have a number.';
comment on column current_page_means.texts is 'How many these are.';
comment on column current_page_means.squares is 'The sum of their squared deviations from this mean.';

comment on view current_run_scores is 'The numbers of whole runs, of each metric those of the newest finished scoring.';
comment on column current_run_scores.run_id is 'The run, or reference:SNAPSHOT for the articles as a run.';
comment on column current_run_scores.metric is 'The metric.';
comment on column current_run_scores.value is 'The number, a mean over draws; NULL where it cannot be had.';
comment on column current_run_scores.spread is 'The standard deviation over the draws or seeds; NULL for one.';
comment on column current_run_scores.status is 'ok, or why there is no number.';
comment on column current_run_scores.evaluator_id is 'Who made it.';
comment on column current_run_scores.texts is 'How many kept texts the run had then.';
