-- The runs on a snapshot that were asked for like this; a deterministic decoder writes one completion a prompt.
select run_id
from runs
where snapshot_id = $1
    and prompts = least(coalesce($2, prompts), (select articles from snapshots where snapshot_id = $1))
    and (samples, keep) in (($3, $4), (1, 1))
    and max_new_tokens = $5
    and seed = $6
    and prompt_template = $7;
