"""Columns of recordings: names, units, headers, dialects and mappings.

Modules:
    names: names, groups and SI units of columns.
    headers: meaning of a header.
    guess: mapping of a file from its headers.
    dialects: TOML files that name the columns of a kind of file.
    ranges: columns by their place, and mappings of one line.
    mapping: rules from a file's columns to a recording's.
    rotation: conversion between formats of orientations.
"""
