"""Keep the history of arms over months: add recordings, show rows, report drift."""

VERBS = ("add", "show", "report")

EXAMPLES = """
armtwin history add fleet monday.parquet --arm ur5e --serial 20235501234
armtwin history show fleet
armtwin history report fleet --report fleet.html
"""
