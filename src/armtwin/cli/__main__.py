"""``python -m armtwin.cli`` is ``armtwin``."""

from armtwin.cli.main import main

main()
