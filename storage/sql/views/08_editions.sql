-- The articles of a snapshot at a later cutoff, and the scores of its runs against both editions.

create or replace view edition_articles as
select
    later.snapshot_id as edition,
    first.snapshot_id,
    first.page_id,
    first.title,
    candidate.title as later_title,
    first.rev_id,
    candidate.rev_id as later_rev_id,
    case
        when candidate.verdict is distinct from 'selected' then coalesce(candidate.verdict, 'unknown')
        when candidate.rev_id = first.rev_id then 'unchanged'
        else 'changed'
    end as outcome,
    article.text_sha256 = first.text_sha256 as same_text,
    candidate.detail
from snapshots as later
join stored_articles as first on first.snapshot_id = later.parameters ->> '$.revisits.snapshot_id'
left join candidates as candidate on candidate.snapshot_id = later.snapshot_id and candidate.page_id = first.page_id
left join stored_articles as article on article.snapshot_id = later.snapshot_id and article.page_id = first.page_id;

create or replace view editions as
select
    edition,
    one.snapshot_id,
    first.cutoff as first_cutoff,
    later.cutoff,
    count(*) as articles,
    count(*) filter (outcome = 'unchanged') as unchanged,
    count(*) filter (outcome = 'changed') as changed,
    count(*) filter (outcome not in ('unchanged', 'changed')) as lost
from edition_articles as one
join snapshots as later on later.snapshot_id = edition
join snapshots as first on first.snapshot_id = one.snapshot_id
group by edition, one.snapshot_id, first.cutoff, later.cutoff;

-- The texts of each prompt that have scores against both editions by the same evaluator.
create or replace view edition_page_differences as
select
    edition,
    run_id,
    metric,
    evaluator_id,
    page_id,
    count(*) as texts,
    avg(first.value order by sample) as first_mean,
    avg(later.value order by sample) as later_mean,
    avg(later.value - first.value order by sample) as difference
from edition_scores as later
join scores as first using (run_id, page_id, sample, metric, evaluator_id)
join edition_scorings using (edition, run_id, evaluator_id)
where later.value is not null and first.value is not null
group by edition, run_id, metric, evaluator_id, page_id;

-- Each prompt counts once, as in `newwiki compare`. The interval is that of evaluators/statistics.py.
create or replace view edition_differences as
with means as (
    select
        edition,
        run_id,
        metric,
        evaluator_id,
        count(*) as prompts,
        count(*) filter (outcome = 'changed') as changed,
        sum(texts)::bigint as texts,
        avg(first_mean order by page_id) as first_mean,
        avg(later_mean order by page_id) as later_mean,
        avg(difference order by page_id) as mean,
        stddev_samp(difference order by page_id) / sqrt(count(*)) as standard_error,
        if(count(*) > 2 and stddev_samp(difference) > 0, skewness(difference order by page_id), 0) / sqrt(count(*)) as skew
    from edition_page_differences
    join edition_articles using (edition, page_id)
    group by edition, run_id, metric, evaluator_id
),
unscored as (
    select edition, run_id, metric, evaluator_id, count(*) as texts
    from edition_scores as later
    join edition_scorings using (edition, run_id, evaluator_id)
    left join scores as first using (run_id, page_id, sample, metric, evaluator_id)
    where later.value is null or first.value is null
    group by edition, run_id, metric, evaluator_id
)
select
    edition,
    runs.snapshot_id,
    run_id,
    model,
    decoder,
    metric,
    evaluator_id,
    coalesce(means.prompts, 0) as prompts,
    coalesce(changed, 0) as changed,
    coalesce(means.texts, 0) as texts,
    coalesce(unscored.texts, 0) as unscored,
    first_mean,
    later_mean,
    mean as difference,
    interval_low(mean, standard_error, means.prompts - 1, skew) as low,
    interval_high(mean, standard_error, means.prompts - 1, skew) as high,
    no_interval(mean, standard_error, means.prompts - 1) as no_interval
from means
full join unscored using (edition, run_id, metric, evaluator_id)
join runs using (run_id);

-- How many additions the texts of each run anticipated, and how many additions of other articles they mention by chance. Each
-- prompt counts once in the excess and its interval.
create or replace view came_true_by_run as
with pages as (
    select
        edition, run_id, kind, evaluator_id, page_id, count(*) as texts, sum(came_true) as came_true, sum(chance) as chance,
        avg(came_true - chance order by sample) as excess
    from came_true_texts
    join edition_scorings using (edition, run_id, evaluator_id)
    where status = 'ok'
    group by edition, run_id, kind, evaluator_id, page_id
),
sums as (
    select
        edition, run_id, kind, evaluator_id,
        count(*) as prompts,
        sum(texts)::bigint as texts,
        sum(came_true)::bigint as came_true,
        sum(chance order by page_id) as chance,
        avg(excess order by page_id) as mean,
        stddev_samp(excess order by page_id) / sqrt(count(*)) as standard_error,
        if(count(*) > 2 and stddev_samp(excess) > 0, skewness(excess order by page_id), 0) / sqrt(count(*)) as skew
    from pages
    group by edition, run_id, kind, evaluator_id
),
unknown as (
    select edition, run_id, kind, evaluator_id, count(*) as texts, any_value(status order by page_id, sample) as status
    from came_true_texts
    join edition_scorings using (edition, run_id, evaluator_id)
    where status <> 'ok'
    group by edition, run_id, kind, evaluator_id
)
select
    edition,
    runs.snapshot_id,
    run_id,
    model,
    decoder,
    kind,
    evaluator_id,
    coalesce(sums.prompts, 0) as prompts,
    coalesce(sums.texts, 0) as texts,
    came_true,
    chance,
    mean as excess,
    interval_low(mean, standard_error, sums.prompts - 1, skew) as low,
    interval_high(mean, standard_error, sums.prompts - 1, skew) as high,
    no_interval(mean, standard_error, sums.prompts - 1) as no_interval,
    coalesce(unknown.texts, 0) as unknown,
    unknown.status as unknown_because
from sums
full join unknown using (edition, run_id, kind, evaluator_id)
join runs using (run_id);

comment on view edition_articles is 'One row per later edition and article of the first edition: how the article changed until the later cutoff.';
comment on column edition_articles.edition is 'The later edition: a snapshot of kind revisit.';
comment on column edition_articles.snapshot_id is 'The snapshot that the edition revisits.';
comment on column edition_articles.page_id is 'The article.';
comment on column edition_articles.title is 'The title in the first edition.';
comment on column edition_articles.later_title is 'The title at the later cutoff.';
comment on column edition_articles.rev_id is 'The revision in the first edition.';
comment on column edition_articles.later_rev_id is 'The revision at the later cutoff; NULL if there is none.';
comment on column edition_articles.outcome is 'unchanged (the same revision), changed, or the verdict that kept the article out of the edition; unknown if the edition was rebuilt from a manifest, which lists only the articles of the edition.';
comment on column edition_articles.same_text is 'Whether first sentence and completion are the same in both editions; NULL if the article is not in the later edition.';
comment on column edition_articles.detail is 'Details of the verdict.';

comment on view editions is 'One row per snapshot that revisits another: how many of the articles have changed.';
comment on column editions.edition is 'The later edition.';
comment on column editions.snapshot_id is 'The snapshot that the edition revisits.';
comment on column editions.first_cutoff is 'The cutoff of the first edition.';
comment on column editions.cutoff is 'The cutoff of the later edition.';
comment on column editions.articles is 'The number of articles of the first edition, all of which were read again.';
comment on column editions.unchanged is 'The number of articles with the same revision.';
comment on column editions.changed is 'The number of articles with another revision.';
comment on column editions.lost is 'The number of articles that are not in the later edition; funnel gives the reasons.';

comment on view edition_page_differences is 'One row per prompt of a run, metric and evaluator: the means against the first and the later edition of the article, over the texts that have both scores.';
comment on column edition_page_differences.edition is 'The later edition.';
comment on column edition_page_differences.run_id is 'The run.';
comment on column edition_page_differences.metric is 'The metric.';
comment on column edition_page_differences.evaluator_id is 'The evaluator that computed both scores.';
comment on column edition_page_differences.page_id is 'The article of the prompt.';
comment on column edition_page_differences.texts is 'The number of texts that have both scores.';
comment on column edition_page_differences.first_mean is 'The mean score, against the first edition, of the texts that have both scores.';
comment on column edition_page_differences.later_mean is 'The mean score, against the later edition, of the texts that have both scores.';
comment on column edition_page_differences.difference is 'The mean of the later score minus the first.';

comment on view edition_differences is 'One row per run, metric, evaluator and later edition: the mean scores against both editions of the articles. Each prompt that has both scores counts once.';
comment on column edition_differences.edition is 'The later edition.';
comment on column edition_differences.snapshot_id is 'The snapshot of the run.';
comment on column edition_differences.run_id is 'The run.';
comment on column edition_differences.model is 'The model.';
comment on column edition_differences.decoder is 'The decoder in canonical form.';
comment on column edition_differences.metric is 'The metric.';
comment on column edition_differences.evaluator_id is 'The evaluator that computed both scores.';
comment on column edition_differences.prompts is 'The number of prompts that have both scores.';
comment on column edition_differences.changed is 'The number of prompts that have both scores and whose article has another revision in the later edition; the difference of the other prompts is 0.';
comment on column edition_differences.texts is 'The number of texts that have both scores.';
comment on column edition_differences.unscored is 'The number of texts that lack one of the scores although their articles are in both editions.';
comment on column edition_differences.first_mean is 'The mean score against the first edition; NULL if no text has both scores.';
comment on column edition_differences.later_mean is 'The mean score against the later edition; NULL if no text has both scores.';
comment on column edition_differences.difference is 'The later mean minus the first mean; NULL if no text has both scores.';
comment on column edition_differences.low is 'The lower end of the 95 % interval of the difference, by prompt; NULL if there is no interval.';
comment on column edition_differences.high is 'The upper end of the 95 % interval of the difference, by prompt; NULL if there is no interval.';
comment on column edition_differences.no_interval is 'Why there is no interval: too few prompts, or no variance; NULL if there is one.';

comment on view came_true_by_run is 'One row per run, kind and later edition: how often the run''s texts mentioned additions of their own article, compared with additions of other articles.';
comment on column came_true_by_run.edition is 'The later edition.';
comment on column came_true_by_run.snapshot_id is 'The snapshot of the run.';
comment on column came_true_by_run.run_id is 'The run.';
comment on column came_true_by_run.model is 'The model.';
comment on column came_true_by_run.decoder is 'The decoder in canonical form.';
comment on column came_true_by_run.kind is 'entity, or infobox for a name or number from an infobox.';
comment on column came_true_by_run.evaluator_id is 'The evaluator that found the entities and compared text and article.';
comment on column came_true_by_run.prompts is 'The number of changed articles.';
comment on column came_true_by_run.texts is 'The number of texts on changed articles.';
comment on column came_true_by_run.came_true is 'The number of additions that the texts mention, each counted once per text.';
comment on column came_true_by_run.chance is 'The same number with the additions of another changed article, averaged over all other changed articles; NULL if there is no other.';
comment on column came_true_by_run.excess is 'The mean per text of came_true minus chance, where each prompt counts once.';
comment on column came_true_by_run.low is 'The lower end of the 95 % interval of the excess, by prompt; NULL if there is no interval.';
comment on column came_true_by_run.high is 'The upper end of the 95 % interval of the excess, by prompt; NULL if there is no interval.';
comment on column came_true_by_run.no_interval is 'Why there is no interval: too few prompts, or no variance; NULL if there is one.';
comment on column came_true_by_run.unknown is 'The number of texts on changed articles for which there are no counts.';
comment on column came_true_by_run.unknown_because is 'The reason why the first text without counts has none.';
