"""Drawings of a page's charts, and pictures of arms.

- ``plots``: charts as data for plotly.js, in HTML.
- ``pictures``: charts as SVG, for PDF.
- ``diagram_plots``, ``diagram_pictures``: forest plots and Sankey diagrams, likewise.
- ``sankey_layout``: where nodes and bands of a Sankey diagram are drawn.
- ``boxes``: box plots drawn with lines.
- ``thinning``: fewer samples of a curve, with every peak kept.
- ``palette``: colours.
- ``arm_pictures``: an arm and its tool path as PNG.
"""
