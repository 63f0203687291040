-- How far each finished scoring was verified (newwiki.levels). A summary depends on texts and on scores, and its level is the
-- lower of the two: scores from elsewhere that were not all computed again are claimed, even if the texts were replayed.
create or replace view levels as
with came as (
    select run_id, evaluator_id, list_sort(list(distinct signer) filter (signer <> '')) as signers
    from origins
    group by run_id, evaluator_id
),
drawn as (
    select run_id, total, checker, if(draw is null, null, draw || if(checker = 'here', '', ' of ' || checker)) as draw, unnest(texts) as text
    from verifications
    where evaluator_id = '' and level in ('replayed', 'verified') and confirmed > 0
),
replays as (
    select
        run_id,
        count(distinct text) as replayed,
        count(distinct text) filter (checker = 'here') as replayed_here,
        max(total) as texts,
        list_sort(list(distinct checker)) as checkers,
        list_sort(list(distinct draw) filter (draw is not null)) as draws
    from drawn
    group by run_id
),
recomputed as (
    select run_id, evaluator_id, list_sort(list(distinct checker)) as recomputed_by
    from verifications
    where evaluator_id <> '' and confirmed = checked and checked = total and checked > 0
    group by run_id, evaluator_id
),
partly_read as (
    select run_id, evaluator_id, max(confirmed) as replayed, max(total) as texts, list_sort(list(distinct checker)) as checkers,
        list_sort(list(distinct draw || if(checker = 'here', '', ' of ' || checker)) filter (draw is not null)) as draws
    from verifications
    where evaluator_id <> '' and level = 'replayed' and confirmed = checked and checked > 0
    group by run_id, evaluator_id
),
known as (
    select
        scorings.run_id as run_id,
        scorings.evaluator_id as evaluator_id,
        of_texts.run_id is not null
            or (is_reference(scorings.run_id) and scorings.run_id in (select run_id from origins)) as has_foreign_texts,
        of_scores.run_id is null or recomputed.run_id is not null as has_sound_scores,
        coalesce(backend = 'file', false) as is_of_file,
        coalesce(runs.samples = 0, false) as only_reads,
        partly_read.run_id is not null as is_partly_read,
        of_scores.run_id is null or list_contains(coalesce(recomputed_by, []), 'here') as was_scored_here,
        coalesce(replays.replayed, partly_read.replayed, 0) as replayed,
        coalesce(replays.replayed_here, 0) as replayed_here,
        coalesce(replays.texts, partly_read.texts, 0) as texts,
        coalesce(replays.checkers, partly_read.checkers, []) as checkers,
        coalesce(replays.draws, partly_read.draws, []) as draws,
        coalesce(recomputed_by, []) as recomputed_by,
        list_sort(list_distinct(list_concat(coalesce(of_texts.signers, []), coalesce(of_scores.signers, [])))) as signers
    from scorings
    left join runs on runs.run_id = scorings.run_id
    left join came as of_texts on of_texts.run_id = scorings.run_id and of_texts.evaluator_id = ''
    left join came as of_scores on of_scores.run_id = scorings.run_id and of_scores.evaluator_id = scorings.evaluator_id
    left join replays on replays.run_id = scorings.run_id
    left join recomputed on recomputed.run_id = scorings.run_id and recomputed.evaluator_id = scorings.evaluator_id
    left join partly_read
        on runs.samples = 0 and partly_read.run_id = scorings.run_id and partly_read.evaluator_id = scorings.evaluator_id
),
named as (
    select
        run_id,
        evaluator_id,
        case
            when only_reads and not has_sound_scores and is_partly_read then 'replayed'
            when not has_sound_scores then 'claimed'
            when only_reads then if(was_scored_here, 'verified', 'replayed')
            when is_of_file then 'recomputed scores'  -- there is no model that could replay them
            when not has_foreign_texts then 'verified'
            when texts > 0 and replayed_here >= texts and was_scored_here then 'verified'
            when replayed > 0 then 'replayed'
            else 'recomputed scores'
        end as level,
        replayed, texts, checkers, draws, recomputed_by, signers
    from known
)
select * from named
union all
select readings.run_id, evaluator_id, level, replayed, texts, checkers, draws, recomputed_by, signers
from named
join readings on named.run_id = reading_run_id;

comment on view levels is 'One row per finished scoring of a run, or of the likelihood run of its model: how far its scores were verified.';
comment on column levels.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column levels.evaluator_id is 'The evaluator that computed the scores.';
comment on column levels.level is 'verified: texts and scores were made in this database, or all of them were made again here. replayed: the scores were computed again, and some texts were replayed. recomputed scores: the scores were computed again, from texts that nobody checked. claimed: somebody else states the scores, and nothing was checked.';
comment on column levels.replayed is 'The number of completions that were replayed, each counted once.';
comment on column levels.texts is 'The number of completions of the run if some were replayed; 0 otherwise.';
comment on column levels.checkers is 'Who replayed the completions: fingerprints of keys, or here for this installation.';
comment on column levels.draws is 'The numbers that drew the replayed completions, with their checkers.';
comment on column levels.recomputed_by is 'Who computed the scores again: fingerprints of keys, or here for this installation.';
comment on column levels.signers is 'The fingerprints of the keys that signed the texts or the scores.';
