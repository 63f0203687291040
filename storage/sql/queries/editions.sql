-- Snapshots that revisit another, and the scores of runs against both editions.

-- name: editions_of
select edition from editions where snapshot_id = ? order by cutoff, edition;

-- name: edition_one
select * from editions where edition = ?;

-- name: edition_outcomes
select
    outcome,
    count(*) as articles,
    printf('%.1f %%', 100.0 * count(*) / sum(count(*)) over ()) as share,
    min_by(title || coalesce(': ' || detail, ''), page_id) as example
from edition_articles
where edition = ?
group by outcome
order by array_position(['unchanged', 'changed'], outcome) nulls last, articles desc, outcome;

-- name: edition_deletions
select
    coalesce(route, 'unknown') as route,
    coalesce(criterion, '') as criterion,
    coalesce(array_to_string(kinds, ', '), '') as kinds,
    count(*) as articles,
    min_by(title || ': ' || if(status = 'ok', coalesce(nullif(comment, ''), 'no comment'), status), page_id) as example
from (select * exclude (snapshot_id) from deletions where snapshot_id = $1)
join (from edition_articles where edition = $1) using (page_id)
group by 1, 2, 3
order by articles desc, route, criterion, kinds;

-- name: revisited_pages
select page_id, title, created_at, revisions, origin
from stored_articles
join candidates using (snapshot_id, page_id, title, created_at, revisions)
where snapshot_id = ?
order by page_id;

-- name: changed_pages
select page_id from edition_articles where edition = ? and outcome = 'changed' order by page_id;

-- name: revisited_runs
-- The complete runs on a snapshot that have kept texts.
select run_id
from runs
where snapshot_id = ? and status = 'complete' and exists (from completions where completions.run_id = runs.run_id and kept)
order by started_at, run_id;

-- name: copy_unchanged_scores
-- A text has the same scores against an unchanged revision, so these are copied: $1 edition, $2 run, $3 evaluators.
insert into edition_scores by name
select $1 as edition, run_id, page_id, sample, metric, value, status, evaluator_id
from scores
semi join (from edition_articles where edition = $1 and outcome = 'unchanged') using (page_id)
semi join (from completions where kept) using (run_id, page_id, sample)
anti join (from edition_scores where edition = $1 and run_id = $2) using (run_id, page_id, sample, metric, evaluator_id)
where run_id = $2 and evaluator_id in (select unnest($3));

-- name: edition_scored_texts
select distinct evaluator_id, page_id, sample
from edition_scores
where edition = $1 and run_id = $2 and evaluator_id in (select unnest($3))
union
select distinct evaluator_id, page_id, sample
from came_true_texts
where edition = $1 and run_id = $2 and evaluator_id in (select unnest($3));

-- name: finish_edition_scoring
insert into edition_scorings by name
select $1 as edition, $2 as run_id, evaluator_id, now() as finished_at
from (select unnest($3) as evaluator_id)
anti join (select evaluator_id from edition_scorings where edition = $1 and run_id = $2) using (evaluator_id);

-- name: edition_differences
select
    run_id, model, decoder, metric, prompts, changed, texts, unscored, first_mean, later_mean, difference, low, high,
    no_interval, evaluator_id
from edition_differences
where edition = ? and run_id not in (select run_id from hidden_runs)
order by run_id, metric, evaluator_id;

-- name: came_true_by_run
select
    run_id, model, decoder, kind, prompts, texts, came_true, chance, excess, low, high, no_interval, unknown,
    unknown_because, evaluator_id
from came_true_by_run
where edition = ? and run_id not in (select run_id from hidden_runs)
order by run_id, kind, evaluator_id;

-- name: came_true_first
-- The $2 additions of the edition that most texts of its runs anticipated.
select
    article.title, kind, one.text, count(distinct (run_id, sample)) as texts, count(distinct run_id) as runs
from came_true as one
join edition_scorings using (edition, run_id, evaluator_id)
join edition_articles as article using (edition, page_id)
where one.edition = $1 and run_id not in (select run_id from hidden_runs)
group by article.title, page_id, kind, one.text
order by texts desc, article.title, kind, one.text
limit $2;
