"""Joint error curves fitted together with the geometry.

Modules:
    spectrum: the prior of the coefficients, and its candidates.
    linear_problem: the linearised fit with a Gaussian prior, and its cross-validation.
    curve_fit: the fit of geometry, compliances and curves.
    summary: fitted curves with intervals, visited ranges and determined terms.
    curve_page: the section of the page that shows them.
"""
