select sample, text, tokens, words, finish_reason, truncated, kept
from completions
where run_id = ? and page_id = ?
order by sample;
