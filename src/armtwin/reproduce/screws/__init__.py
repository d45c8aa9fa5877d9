"""The UR3e screw model's document.

- ``ur3e``: the product of exponentials beside the DH model.
"""
