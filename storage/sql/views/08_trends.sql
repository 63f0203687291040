-- The models over the months: of each metric what the newest experiment on it says.
create or replace view model_trends as
select
    model, decoder, metric, evaluator_id, linked_means.snapshot_id, window_start as month, run_id, protocol, linked_means.articles, mean,
    to_snapshot, linked, low, high, no_link, via, experiment_id
from linked_means
join experiments using (experiment_id)
join snapshots on snapshots.snapshot_id = linked_means.snapshot_id
qualify experiment_id
    = first_value(experiment_id) over (partition by to_snapshot, metric, evaluator_id order by made_at desc, experiment_id)
order by to_snapshot, metric, model, decoder, month;

comment on view model_trends is 'The models over the months: a row a run and metric, with its mean on the articles of its own month, and what that is on the scale of the newest month, by what the newest `newwiki experiment linking` found.';
comment on column model_trends.model is 'The model; Wikipedia for the articles.';
comment on column model_trends.decoder is 'The decoder in canonical form.';
comment on column model_trends.metric is 'The metric.';
comment on column model_trends.evaluator_id is 'Who made the numbers of all months.';
comment on column model_trends.snapshot_id is 'The month''s snapshot.';
comment on column model_trends.month is 'When the month begins.';
comment on column model_trends.run_id is 'The run, or reference:SNAPSHOT.';
comment on column model_trends.protocol is 'The protocol of the anchors; NULL where there is no link.';
comment on column model_trends.articles is 'How many of the month''s articles the numbers are of: those of which run and anchors have one.';
comment on column model_trends.mean is 'The mean over these, each counted once.';
comment on column model_trends.to_snapshot is 'The newest month, on whose scale `linked` is.';
comment on column model_trends.linked is 'What the run''s mean would be on the articles of the newest month; NULL where that cannot be said.';
comment on column model_trends.low is 'The lower end of its 95 % interval, which has the errors of the link; NULL where there is none.';
comment on column model_trends.high is 'The upper end.';
comment on column model_trends.no_link is 'Why there is no linked number or no interval; NULL where there is one.';
comment on column model_trends.via is 'The snapshots from the run''s to the newest, over which it was linked.';
comment on column model_trends.experiment_id is 'The answer that says so.';
