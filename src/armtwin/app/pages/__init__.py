"""The pages' Python part, with NiceGUI.

Modules:
    frame: header, navigation and control bar of every page.
    views: all pages and their views.
"""
