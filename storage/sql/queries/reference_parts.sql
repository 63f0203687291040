select page_id, part, value
from reference_parts
where snapshot_id = ? and page_id in (select unnest(?)) and part || ':' || made_by in (select unnest(?));
