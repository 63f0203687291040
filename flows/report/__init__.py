"""What people look at: tables, figures, and the pages that hold them."""
