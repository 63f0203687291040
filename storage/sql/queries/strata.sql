-- Scores by stratum.

-- name: take_pages
-- The articles of the runs $1, each with its part of the stratum $2; all articles are one part if $2 is empty. $3 has one day
-- per run in the same order: an article is `wanted` if it was created after that day, or if the day is NULL. An article is
-- `seen` if it was not created after the knowledge cutoff of the run's model.
create or replace temp table taken_pages as
with asked as (
    select unnest($1::varchar[]) as run_id, unnest($3::date[]) as day
),
on_snapshots as (
    select run_id, snapshot_id, knowledge_cutoff from runs
    union all
    select run_id, snapshot_id, null from reference_texts
),
parts as (
    select snapshot_id, page_id, stratum, value, place from strata where stratum = $2
)
select
    run_id, snapshot_id, page_id, coalesce(stratum, '') as stratum, coalesce(value, '') as part, coalesce(place, 1) as place,
    day is null or created_after(created_at, day) as wanted, not created_after(created_at, knowledge_cutoff) as seen
from asked
join on_snapshots using (run_id)
join stored_articles using (snapshot_id)
left join parts using (snapshot_id, page_id);


-- name: take_pages_created_after
-- The articles of the runs $1 that were created after each of the days $2, one part per day, in the form of take_pages.
create or replace temp table taken_pages as
with on_snapshots as (
    select run_id, snapshot_id, knowledge_cutoff from runs
    union all
    select run_id, snapshot_id, null from reference_texts
),
days as (
    select unnest($2::date[]) as day
)
select
    run_id, snapshot_id, page_id, '' as stratum, day::varchar as part, list_position($2::date[], day) as place, true as wanted,
    not created_after(created_at, knowledge_cutoff) as seen
from (select unnest($1::varchar[]) as run_id)
join on_snapshots using (run_id)
join stored_articles using (snapshot_id)
join days on created_after(created_at, day);


-- name: days_created
-- The days (UTC) on which articles of a snapshot were created, with the number of articles per day.
select created_at::date as day, count(*) as articles
from stored_articles
where snapshot_id = ?
group by day
order by day;


-- name: take_page_means_of_pages
-- The rows that stratum_board summarizes.
create or replace temp table taken_page_means as
select means.*, snapshot_id, stratum, part, place
from page_means_with_reading as means
join taken_pages using (run_id, page_id)
where wanted;


-- name: take_page_gaps_of_pages
create or replace temp table taken_page_gaps as
select gaps.*, snapshot_id, stratum, part, place
from page_gaps_with_reading as gaps
join taken_pages using (run_id, page_id)
where wanted;


-- name: stratum_board
-- Every finished scoring of the taken articles, by part. $1 are runs and parts, separated by a tab; $2 are the numbers of texts
-- in the same order. They do not limit what a likelihood run has scored.
select
    run_id, metric, evaluator_id, value, mean, sd, low, high, no_interval, scored,
    coverage(
        scored, unscored, reasons,
        greatest(if(scorings.run_id is null, 0, $2[list_position($1, run_id || chr(9) || value)]), scored + unscored)
    ) as status,
    evaluator_id as scored_by, level
from summaries_by_stratum('taken_page_means', 'taken_page_gaps')
left join levels using (run_id, evaluator_id)
left join scorings using (run_id, evaluator_id);


-- name: stratum_pages
-- The articles of a snapshot in each part of a stratum.
select value, list(page_id order by page_id) as pages
from strata
where snapshot_id = ? and stratum = ?
group by value, place
order by place, value;


-- name: stratum_parts
-- The parts of the stratum $2 in the snapshots $1, with the number of articles and their smallest and largest word counts.
select snapshot_id, value, any_value(place) as place, count(*) as articles, min(words) as least, max(words) as most
from strata
join stored_articles using (snapshot_id, page_id)
where snapshot_id in (select unnest($1)) and stratum = $2
group by snapshot_id, value
order by snapshot_id desc, place, value;


-- name: taken_page_ids
-- The wanted articles of each run, by part.
select run_id, part, list(page_id order by page_id)
from taken_pages
where wanted
group by run_id, part;


-- name: stratum_rows
-- The numbers of prompts and texts of each run among the taken articles, by part: the kept texts of a run, and the scored
-- articles of references and likelihood runs. Runs on the same articles have the same hash in `articles`.
with texts as (
    select run_id, page_id, count(*) as texts
    from completions
    where kept and run_id in (select run_id from taken_pages)
    group by run_id, page_id
    union all
    select distinct run_id, page_id, 1
    from (select run_id, page_id from page_means union all select run_id, page_id from page_gaps)
    where run_id in (select run_id from taken_pages)
        and run_id in (select run_id from reference_texts union all select run_id from runs where samples = 0)
)
select
    run_id, part as value, any_value(place) as place, count_if(wanted)::bigint as prompts,
    coalesce(sum(texts) filter (wanted), 0)::bigint as completions, count_if(seen) / nullif(count(seen), 0) as seen_share,
    md5(string_agg(page_id::varchar, ',' order by page_id) filter (wanted)) as articles
from texts
join taken_pages using (run_id, page_id)
group by run_id, part
order by place, value;
