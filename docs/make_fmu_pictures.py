"""Pictures of FMPy's window with our FMU: ``python docs/make_fmu_pictures.py FMU INPUTS [FOLDER]``.

Needs FMPy with its GUI (``pip install fmpy pyside6 pyqtgraph``) but no screen. FMU and INPUTS are
those that ``armtwin reproduce fmu-report`` writes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QTWEBENGINE_CHROMIUM_FLAGS", "--no-sandbox --disable-gpu")

SECONDS = "58.1"
SHOWN = ("x", "y", "z")


def main(fmu: Path, inputs: Path, folder: Path) -> None:
    """Load, set up and run the FMU in FMPy's window and keep two pictures."""
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtWidgets import QApplication

    QApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    application = QApplication(sys.argv)
    from fmpy.gui.MainWindow import MainWindow

    window = MainWindow()
    window.resize(1200, 720)
    window.show()
    window.load(str(fmu))

    def set_up() -> None:
        _set_up(window, inputs)
        QTimer.singleShot(500, run)

    def run() -> None:
        window.grab().save(str(folder / "fmpy_settings.png"))
        window.startSimulation()
        QTimer.singleShot(15_000, finish)

    def finish() -> None:
        window.setCurrentPage(window.ui.resultPage)
        QTimer.singleShot(2000, keep)

    def keep() -> None:
        window.grab().save(str(folder / "fmpy_results.png"))
        application.quit()

    QTimer.singleShot(1500, set_up)
    application.exec()


def _set_up(window: Any, inputs: Path) -> None:
    window.ui.inputCheckBox.setChecked(True)
    window.ui.inputFilenameLineEdit.setText(str(inputs))
    window.ui.outputIntervalRadioButton.setChecked(True)
    window.ui.outputIntervalLineEdit.setText("0.002")
    window.stopTimeLineEdit.setText(SECONDS)
    chosen = [v for v in window.modelDescription.modelVariables if v.name in SHOWN]
    window.selectedVariables.clear()
    window.selectedVariables.update(chosen)
    window.ui.filterLineEdit.setText("q")


if __name__ == "__main__":
    place = Path(sys.argv[3]) if len(sys.argv) > 3 else Path(__file__).parent / "pictures"
    main(Path(sys.argv[1]), Path(sys.argv[2]), place)
