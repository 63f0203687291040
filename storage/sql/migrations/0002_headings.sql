-- A JSON list of [level, title, offset]: where in the prose, in characters, the text below a heading begins.
-- Articles published before have an empty list.
alter table articles add column headings json default '[]';
