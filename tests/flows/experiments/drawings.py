"""How large figures are drawn."""

ON_A_PHONE = 477  # pixels that a page of 390 shows whole, where texts have three quarters of their size (report.css)
