-- What the infoboxes of these pages say, as far as this version has read them; a row of NULLs for a page without any.
select page_id, parameter, value
from article_structure
left join article_facts using (snapshot_id, page_id)
where snapshot_id = $1 and page_id in (select unnest($2)) and structure_version = $3
order by page_id, infobox, parameter;
