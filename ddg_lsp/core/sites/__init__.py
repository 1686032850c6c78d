"""Documentation sites a user has added: fetched with care, kept in the user's cache, searched like a folder.

Nothing in a workspace can name one, and no question leaves the machine. Start with `library.py`.
"""
