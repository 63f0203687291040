select page_id, rev_id, title, created_at, revised_at, revisions, words, first_sentence, completion, text_sha256, sha1,
    headings
from stored_articles
where snapshot_id = ?
order by words desc, page_id;
