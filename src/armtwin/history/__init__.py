"""History of arms: a row for every recording, over months, and drift with a stated error rate.

Modules:
    history: ``History``, the folder of rows: add, query, judge.
    row: ``Row``, what a recording showed of an arm, and its columns in Parquet.
    store: the Parquet parts of a folder; DuckDB is used here only.
    addition: what is added: a recording, its file or a result.
    identity: serial number, time and content hash of a recording.
    figures: figures of a row from validation, identification, detection and samples.
    cycles: repetitions of a motion.
    options: ``AddOptions``.
    live_rows: rows of a live twin, one an hour.
    result, arm_page, fleet_page: what is reported of an arm and of a fleet.

Package: ``drift`` (daily series, regression, false alarms).
"""
