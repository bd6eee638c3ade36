"""A whole installation under load: phones, boards and a seller at their usual rhythm, on the production parts."""
