"""The search engine. Knows nothing of LSP, asyncio or logging set-up; see docs/explanation/architecture.md."""
