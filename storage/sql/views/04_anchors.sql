-- The anchors of a snapshot: texts of known quality, made of its articles and scored like the texts of runs. Only the newest
-- version of the texts of an evaluator counts.
create or replace view newest_anchor_scores as
select *
from anchor_scores
qualify version = max(version) over (partition by snapshot_id, words, metric, evaluator_id);

create or replace view anchor_page_means as
select
    snapshot_id, anchor as run_id, metric, evaluator_id, '' as stratum, words::varchar as part, words as place, page_id,
    value as mean, 1::bigint as texts, 0.0::DOUBLE as squares
from newest_anchor_scores
where value is not null;

create or replace view anchor_page_gaps as
select
    snapshot_id, anchor as run_id, metric, evaluator_id, '' as stratum, words::varchar as part, words as place, page_id,
    status as reason, 1::bigint as texts
from newest_anchor_scores
where value is null;

create or replace view anchors as
select
    snapshot_id, run_id as anchor, place as words, metric, evaluator_id, mean, sd,
    within_range(interval_low(mean, standard_error, freedom, skew), minimum, maximum) as low,
    within_range(interval_high(mean, standard_error, freedom, skew), minimum, maximum) as high,
    no_interval(mean, standard_error, freedom) as no_interval,
    scored as texts,
    coverage(scored, unscored, reasons, scored + unscored) as status
from summaries_of('anchor_page_means', 'anchor_page_gaps')
left join metrics using (metric)
order by snapshot_id desc, metric, evaluator_id, words, anchor;

comment on view newest_anchor_scores is 'Internal. The rows of anchor_scores by the newest version of the rules that make the texts.';
comment on column newest_anchor_scores.snapshot_id is 'The snapshot.';
comment on column newest_anchor_scores.anchor is 'The kind of text.';
comment on column newest_anchor_scores.words is 'The length of the text in words.';
comment on column newest_anchor_scores.version is 'The version of the rules that make the texts.';
comment on column newest_anchor_scores.page_id is 'The article that the text is scored against.';
comment on column newest_anchor_scores.metric is 'The metric.';
comment on column newest_anchor_scores.evaluator_id is 'The evaluator that computed the score.';
comment on column newest_anchor_scores.value is 'The score; NULL if there is none.';
comment on column newest_anchor_scores.status is 'ok, or the reason why there is no score.';

comment on view anchor_page_means is 'Internal. The scores of anchors in the form from which summaries are computed.';
comment on column anchor_page_means.snapshot_id is 'The snapshot.';
comment on column anchor_page_means.run_id is 'The kind of text.';
comment on column anchor_page_means.metric is 'The metric.';
comment on column anchor_page_means.evaluator_id is 'The evaluator that computed the score.';
comment on column anchor_page_means.stratum is 'Always empty: all articles are one part.';
comment on column anchor_page_means.part is 'The length of the text in words.';
comment on column anchor_page_means.place is 'The length of the text in words.';
comment on column anchor_page_means.page_id is 'The article that the text is scored against.';
comment on column anchor_page_means.mean is 'The score.';
comment on column anchor_page_means.texts is 'Always 1.';
comment on column anchor_page_means.squares is 'Always 0.';

comment on view anchor_page_gaps is 'Internal. The missing scores of anchors in the form from which summaries are computed.';
comment on column anchor_page_gaps.snapshot_id is 'The snapshot.';
comment on column anchor_page_gaps.run_id is 'The kind of text.';
comment on column anchor_page_gaps.metric is 'The metric.';
comment on column anchor_page_gaps.evaluator_id is 'The evaluator that scored the text.';
comment on column anchor_page_gaps.stratum is 'Always empty: all articles are one part.';
comment on column anchor_page_gaps.part is 'The length of the text in words.';
comment on column anchor_page_gaps.place is 'The length of the text in words.';
comment on column anchor_page_gaps.page_id is 'The article that the text is scored against.';
comment on column anchor_page_gaps.reason is 'The reason why there is no score.';
comment on column anchor_page_gaps.texts is 'Always 1.';

comment on view anchors is 'One row per snapshot, kind of anchor text, length, metric and evaluator: the mean score. Anchors are texts of known quality, made of the articles: the first sentence repeated (anchor:repeat), another article (anchor:other), the words of the article shuffled (anchor:shuffled), half of the sentences from another article (anchor:half), and the beginning of the article (anchor:article).';
comment on column anchors.snapshot_id is 'The snapshot.';
comment on column anchors.anchor is 'The kind of text: anchor:repeat, anchor:other, anchor:shuffled, anchor:half or anchor:article.';
comment on column anchors.words is 'The length of the texts in words, near the median of the runs.';
comment on column anchors.metric is 'The metric.';
comment on column anchors.evaluator_id is 'The evaluator that computed the scores.';
comment on column anchors.mean is 'The mean score over texts, one for each article.';
comment on column anchors.sd is 'The standard deviation over texts.';
comment on column anchors.low is 'The lower end of the 95 % interval of the mean; NULL if there is no interval.';
comment on column anchors.high is 'The upper end of the 95 % interval of the mean; NULL if there is no interval.';
comment on column anchors.no_interval is 'Why there is no interval: too few prompts, or no variance; NULL if there is one.';
comment on column anchors.texts is 'The number of texts that have a score.';
comment on column anchors.status is 'ok, or the number of texts that have a score with the reasons why other texts have none.';
