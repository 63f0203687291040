"""All forgeries, by name: importing their files has registered them."""

from tests.bundles import forged_bundles, forged_databases, forged_files, forged_folders, forged_receipts
from tests.bundles.attempts import FORGERIES

__all__ = ["FORGERIES", "forged_bundles", "forged_databases", "forged_files", "forged_folders", "forged_receipts"]
