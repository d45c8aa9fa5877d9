"""The momentum-observer document of the UR10e.

- ``document_model``: Tables 2 to 4 and statements on M, C and G.
- ``cases``: its experiment with right and wrong models.
- ``figures``: Figures 3 to 5 as numbers.
- ``observer_page``: the report.
"""
