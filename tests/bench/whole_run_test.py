#!/usr/bin/env python3
"""Runs every suite with its peers as `./run` does, but once and briefly: what it prints is short, and every row verifies.

    whole_run_test.py PROGRAM
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

RAMIE = os.path.abspath(sys.argv[1])
MOST_LINES = 46  # of the 60 of ./run: its own steps and the words of tools/setup.sh are at most 14


class WholeRun(unittest.TestCase):
    def test_a_line_a_suite_and_where_the_rest_is(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([RAMIE, "bench", "--quick", "--peers", "--summary", "--report", folder, "--runs", "1",
                                   "--duration-ms", "2"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
            with open(os.path.join(folder, "tables.txt"), encoding="utf-8") as text:
                tables = text.read()
            self.assertTrue(os.path.exists(os.path.join(folder, "index.html")))
        self.assertEqual(done.returncode, 0, done.stdout)
        lines = done.stdout.splitlines()
        self.assertLessEqual(len(lines), MOST_LINES, done.stdout)
        self.assertRegex("\n".join(lines[-2:]), r"^report: file://\S+/index\.html\ntables: file://\S+/tables\.txt$")
        heading = next(i for i, line in enumerate(lines) if "worst row" in line)
        listed = subprocess.run([RAMIE, "bench", "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
        for suite in re.findall(r"^(\w+): ", listed, re.M):
            self.assertEqual(len([line for line in lines[heading:] if re.match(rf"  [ !] {suite} ", line)]), 1, suite)
            self.assertRegex(tables, rf"(?m)^{suite}$")
        # Worst first; the suites that nobody else has come last.
        ratios = [line.split()[-4].lstrip("~") for line in lines[heading + 1:] if re.search(r" \d+ of \d+$", line)]
        self.assertEqual(ratios, sorted(ratios, key=float, reverse=True))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
