select model, decoder, snapshot_id, run_id, prompts, completions
from leaderboard
where snapshot_id = coalesce(?, snapshot_id);
