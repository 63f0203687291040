"""How numbers, charts and pages look, wherever the product shows them."""
