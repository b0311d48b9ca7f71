#!/usr/bin/env python3
"""Checks that a source does not compile, and says why in words that help.

    check.py FILE.cpp -- COMPILER [FLAG...]

The file's first line is `// expect: TEXT`, or `// expect: TEXT | TEXT` where compilers word it differently: the
diagnostics must contain one of the texts. The misuse itself stands between `#ifdef RAMIE_MISUSE` and `#endif` (or
`#else`), and the file must compile without it, so that it cannot fail for a reason that is not the misuse.
"""
import pathlib
import subprocess
import sys


def compile_source(command, source, *flags):
    done = subprocess.run([*command, *flags, "-fsyntax-only", str(source)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return done.returncode, done.stdout


def check(source, command):
    """Returns a sentence about what is wrong, or None."""
    text = source.read_text()
    first = text.splitlines()[0] if text else ""
    if not first.startswith("// expect:"):
        return f"{source}:1: the first line must be `// expect: TEXT`, with what the diagnostic has to say"
    expected = [part.strip() for part in first.removeprefix("// expect:").split(" | ")]
    if not all(expected):
        return f"{source}:1: an expected text is empty; every diagnostic would do"
    if "#ifdef RAMIE_MISUSE" not in text:
        return f"{source}: put the misuse between #ifdef RAMIE_MISUSE and #endif, so that the rest is known to compile"

    status, output = compile_source(command, source)
    if status != 0:
        return f"{source}: does not compile even without the misuse:\n{output}"
    status, output = compile_source(command, source, "-DRAMIE_MISUSE")
    if status == 0:
        return f"{source}: the misuse compiles; it was expected to fail with: {' | '.join(expected)}"
    if status < 0 or "internal compiler error" in output:
        return f"{source}: the compiler crashed:\n{output}"
    if not any(text in output for text in expected):
        return f"{source}: the diagnostic does not say: {' | '.join(expected)}\nIt says:\n{output}"
    return None


def main(arguments):
    if len(arguments) < 3 or arguments[1] != "--":
        print(__doc__, file=sys.stderr)
        return 2
    problem = check(pathlib.Path(arguments[0]), arguments[2:])
    if problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
