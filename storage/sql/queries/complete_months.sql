select month, registered_sha256
from months
where wiki = ? and complete;
