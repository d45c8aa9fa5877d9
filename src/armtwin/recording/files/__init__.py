"""File formats of recordings, one module per format.

Modules:
    open_file: choice of the reader by a file's ending and content.
    csv, csv_format, text_source: text tables: the one parser, layouts, encodings and compression.
    plain_csv: rows of text tables where PyArrow is not installed.
    csv_blocks: CSV files of any size in blocks, with faults named by line and column.
    xlsx, archive: spreadsheets, and limits on what they unpack to and take in memory.
    parquet: Parquet files.
    bags: ROS bags, their joint states and wrenches.
    lerobot: LeRobot datasets.
    row_log: binary log of rows that survives a crash of the recorder.
    saved: files that armtwin writes, and their exact reading.
"""
