-- The models over the months, for each metric from the newest experiment on it. Runs that are hidden or were deleted since
-- are left out.
create or replace view model_trends as
select
    model, decoder, metric, evaluator_id, linked_means.snapshot_id, window_start as month, run_id, protocol, linked_means.articles, mean,
    to_snapshot, linked, low, high, no_link, via, experiment_id
from linked_means
join experiments using (experiment_id)
join snapshots on snapshots.snapshot_id = linked_means.snapshot_id
where is_reference(run_id) or run_id in (select run_id from runs where run_id not in (select run_id from hidden_runs))
qualify experiment_id
    = first_value(experiment_id) over (partition by to_snapshot, metric, evaluator_id order by made_at desc, experiment_id)
order by to_snapshot, metric, model, decoder, month;

comment on view model_trends is 'One row per run and metric: the mean on the articles of the run''s own month, and the same mean on the scale of the newest month, from the newest answer of `newwiki experiment linking`.';
comment on column model_trends.model is 'The model; Wikipedia for the articles.';
comment on column model_trends.decoder is 'The decoder in canonical form; reference for the articles.';
comment on column model_trends.metric is 'The metric.';
comment on column model_trends.evaluator_id is 'The evaluator that computed the scores of all months.';
comment on column model_trends.snapshot_id is 'The snapshot of the month.';
comment on column model_trends.month is 'The start of the month.';
comment on column model_trends.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column model_trends.protocol is 'The protocol of the anchors; NULL if there is no link.';
comment on column model_trends.articles is 'The number of the month''s articles for which the run and the anchors have scores.';
comment on column model_trends.mean is 'The mean score over the articles that the column articles counts, each counted once.';
comment on column model_trends.to_snapshot is 'The newest month, which defines the scale of `linked`.';
comment on column model_trends.linked is 'The estimated mean of the run on the articles of the newest month; NULL if it cannot be estimated.';
comment on column model_trends.low is 'The lower end of the 95 % interval of `linked`, which includes the error of the link; NULL if there is no interval.';
comment on column model_trends.high is 'The upper end of the 95 % interval of `linked`; NULL if there is no interval.';
comment on column model_trends.no_link is 'Why there is no linked mean or no interval; NULL if there is one.';
comment on column model_trends.via is 'The snapshots over which the run was linked, from its own to the newest.';
comment on column model_trends.experiment_id is 'The answer that contains the link.';
