"""Renderers of a page.

- ``text``: plain text for a terminal.
- ``html``: one self-contained HTML file, and a fragment for notebooks.
- ``pdf``: a PDF, set with Typst.
- ``cells``: the text of table cells.
"""
