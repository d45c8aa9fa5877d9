"""Runs pieces of Python from standard input, for tests with ur_rtde: ``ur_rtde_worker.py HOST``.

One JSON string per line comes in; ``@@`` and a JSON object with value or error goes out.
``patient(make, ...)`` connects again while ur_rtde's own timeouts are too short for the machine.
"""

import ast
import json
import sys
import time

ATTEMPTS = 30
TOO_LATE = ("before timeout", "timed out", "Timeout")
"""Words of ur_rtde's errors when the first sample or its script took more than 1 or 5 s."""


def patient(make, *arguments):
    """Return an interface of ur_rtde; a busy machine gets further attempts."""
    for left in reversed(range(ATTEMPTS)):
        try:
            return make(*arguments)
        except RuntimeError as error:
            if not left or not any(words in str(error) for words in TOO_LATE):
                raise
    return None


def run(code, names):
    """Run code; return the value of its last line if that is an expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<code>", "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "<code>", "eval"), names)


def main():
    """Answer until the input ends."""
    names = {"HOST": sys.argv[1], "time": time, "patient": patient}
    for line in sys.stdin:
        try:
            answer = {"value": run(json.loads(line), names)}
        except Exception as error:  # noqa: BLE001 - reported to the test
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(f"\n@@{json.dumps(answer)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
