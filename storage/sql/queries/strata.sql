-- Numbers cut by what the articles are.

-- name: take_stratum_scores
-- What stratum_board goes through: the scores of the runs $1, each in its part of the stratum $2.
create or replace temp table taken_scores as
select *
from scores_by_stratum
where run_id in (select unnest($1)) and stratum = $2;


-- name: take_stratum_page_means
create or replace temp table taken_page_means as
select *
from page_means_by_stratum
where run_id in (select unnest($1)) and stratum = $2;


-- name: stratum_board
-- Every finished scoring of what was taken; each part has as many texts as $2 says where $1 names run and part, between them
-- a tab.
select
    run_id, metric, evaluator_id, value, mean, sd, low, high, no_interval, scored,
    coverage(
        scored, unscored, reasons,
        greatest(coalesce($2[list_position($1, run_id || chr(9) || value)], 0), scored + unscored)
    ) as status,
    evaluator_id as scored_by
from summaries_by_stratum('taken_scores', 'taken_page_means');


-- name: stratum_pages
-- Which articles of a snapshot belong to which part of a stratum.
select value, list(page_id order by page_id) as pages
from strata
where snapshot_id = ? and stratum = ?
group by value, place
order by place, value;


-- name: stratum_parts
-- The parts of the stratum $2 in these snapshots, with how many articles each has, and their least and most words.
select snapshot_id, value, any_value(place) as place, count(*) as articles, min(words) as least, max(words) as most
from strata
join stored_articles using (snapshot_id, page_id)
where snapshot_id in (select unnest($1)) and stratum = $2
group by snapshot_id, value
order by snapshot_id desc, place, value;


-- name: stratum_rows
-- How many prompts and texts each of the runs $1 has in each part of the stratum $2: those kept; of articles, and of
-- runs that have read them, those scored.
with texts as (
    select run_id, snapshot_id, page_id, sample
    from completions
    join runs using (run_id)
    where kept and run_id in (select unnest($1))
    union
    select run_id, snapshot_id, page_id, sample
    from scores
    join runs using (run_id)
    where samples = 0 and run_id in (select unnest($1))
    union
    select run_id, snapshot_id, page_id, sample
    from scores
    join reference_texts using (run_id)
    where run_id in (select unnest($1))
)
select run_id, value, any_value(place) as place, count(distinct page_id) as prompts, count(*) as completions
from texts
join strata using (snapshot_id, page_id)
where stratum = $2
group by run_id, value
order by place, value;
