"""The virtual UR controller.

Packages:
    script: parser, compiler and scheduler of URScript programs.
"""
