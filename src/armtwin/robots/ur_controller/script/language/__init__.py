"""From URScript text to Python code.

Modules:
    grammar.lark, parser, parser_tables, nodes: text to syntax tree.
    block_counter: open blocks of a text that comes in pieces.
    scopes: variables and functions of a program, and walks over its statements.
    expressions, compiler, python_nodes: syntax tree to Python code.
"""
