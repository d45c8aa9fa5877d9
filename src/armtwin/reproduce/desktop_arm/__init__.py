"""The desktop arm's document.

- ``tables``: Table 2 and Figure 8.
"""
