select month from months where wiki = ? order by month limit 1;
