"""Batches of joint positions or poses as CSV files.

- ``batches``: reads a batch and yields it in blocks.
- ``result_file``: writes results row by row; the file appears when it is complete.
"""
