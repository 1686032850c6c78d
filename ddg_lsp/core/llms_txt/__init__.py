"""llms.txt, the index of a documentation site: writing one for a folder's documents, and reading anybody's.

Writing (`publish`, `site`, `check`) knows folders and settings. Reading (`parse`, `full`) takes bytes and an address,
and knows neither where they came from nor how they were fetched.
"""
