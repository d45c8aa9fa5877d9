"""``python -m armtwin.cli`` is ``armtwin``."""

from armtwin.cli.start import main

main()
