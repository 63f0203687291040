select
    board.model, board.decoder, board.snapshot_id, run_id, board.prompts, board.completions,
    if(asked.run_id is null, null, to_json(asked)::varchar) as settings
from leaderboard as board
left join run_settings as asked using (run_id)
left join runs using (run_id)
left join reference_texts using (run_id)
where board.snapshot_id = coalesce(?, board.snapshot_id)
order by board.snapshot_id desc, coalesce(started_at, known_at), run_id;
