"""Pages and their renderers, independent of the verbs.

- ``page``: ``Page`` and its parts, data without drawing.
- ``diagrams``: its forest plots and Sankey diagrams.
- ``result``: ``Result``, the base class of what verbs return.
- ``viewing``: the viewer of results, which the package enters.
- ``numbers``: how numbers are written in texts and tables.
- ``write``: a page as an HTML or PDF file.
- ``inputs``: fingerprints of files, versions of software.
- ``renderers``: text, HTML, PDF and table cells.
- ``charts``: drawings for HTML, PDF and PNG.
"""
