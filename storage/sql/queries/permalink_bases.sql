-- What is left of the permanent links without their revision; one row where all of them are of one wiki.
select distinct regexp_replace(permalink, 'Special:PermanentLink/' || rev_id || '$', '') as base
from articles
where snapshot_id = ?
order by base;
