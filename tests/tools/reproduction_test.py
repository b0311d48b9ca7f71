#!/usr/bin/env python3
"""Checks docs/reproduction.md: its commands and rows exist, its tables add up and follow their own rule.

    reproduction_test.py PROGRAM [unittest arguments]
"""
import os
import re
import shlex
import subprocess
import sys
import unittest

RAMIE = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "ramie"
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/reproduction.md")


def listed(*arguments):
    return subprocess.run([RAMIE, "bench", *arguments, "--list"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300, check=False)


class Reproduction(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(PAGE, encoding="utf-8") as page:
            cls.text = page.read()
        cls.tables = []  # each a list of rows, the heading first
        within = False
        for line in cls.text.splitlines():
            if not line.startswith("|"):
                within = False
                continue
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not within:
                cls.tables.append([])
            elif re.fullmatch(r"[-: ]+", "".join(cells)):
                continue
            within = True
            cls.tables[-1].append(cells)

    def table(self, heading):
        found = [t for t in self.tables if t[0][0] == heading]
        self.assertEqual(len(found), 1, heading)
        return found[0]

    def test_every_row_has_a_cell_for_each_column(self):
        self.assertGreaterEqual(len(self.tables), 5)
        for rows in self.tables:
            for row in rows:
                self.assertEqual(len(row), len(rows[0]), row)

    def test_rows_and_commands_are_there(self):
        everything = listed("--full", "--peers").stdout
        suites = set(re.findall(r"^(\w+): ", everything, re.M))
        names = suites | set(re.findall(r"^  (\w+)", everything, re.M))
        with open(os.path.join(os.path.dirname(PAGE), "../bench/README.md"), encoding="utf-8") as readme:
            names |= set(re.findall(r"`(\w+)`", readme.read()))  # of statistics
        self.assertGreater(len(suites), 10, everything)
        commands = [span for span in re.findall(r"`([^`]+)`", self.text) if span.startswith("ramie bench ")]
        for rows in self.tables:
            for row in rows[1:]:
                for span in re.findall(r"`([^`]+)`", row[0]):
                    if re.fullmatch(r"[a-z]\w*", span):
                        self.assertIn(span, names, row)
                    elif span.split()[0] in suites:
                        commands.append("ramie bench " + span)
        self.assertGreater(len(commands), 8)
        for command in commands:
            done = listed(*shlex.split(command)[2:])
            self.assertEqual(done.returncode, 0, command + "\n" + done.stdout)

    def test_figures_of_the_runtime_name_their_queue(self):
        kinds = re.search(r"choose one of: ([\w, ]+)", listed("--queue", "none").stdout).group(1).split(", ")
        self.assertIn("split", kinds)
        rows = next(t for t in self.tables if "queue" in t[0])
        at, says = rows[0].index("queue"), rows[0].index("says")
        for row in rows[1:]:
            if not row[says].startswith("not repeated") and row[at] != "any":
                named = re.findall("`([a-z_]+)`", row[at])
                self.assertTrue(named, row)
                for kind in named:
                    self.assertIn(kind, kinds, row)

    def test_the_ablations_total_is_the_sum_of_the_times_with_most_threads(self):
        rows = self.table("theirs, s")
        most = [i for i, heading in enumerate(rows[0]) if heading.endswith("/32")]
        self.assertEqual((rows[0][1], len(most), len(rows)), ("MQNSF", 5, 9))
        for row in rows[1:]:
            self.assertAlmostEqual(float(row[1]), sum(float(row[i]) for i in most), delta=0.0101, msg=row)

    def test_what_lies_within_a_fifth_is_not_seen(self):
        rows = self.table("optimization")
        first, last = rows[0].index("ours, NQ/2"), rows[0].index("F/2")
        below = None
        for row in rows[1:]:
            times = [float(cell) for cell in row[first:last + 1]]
            if below:
                ratios = [max(a / b, b / a) for a, b in zip(times, below)]
                unseen = re.match(r"(agrees: )?not seen", row[-1]) is not None
                self.assertEqual(unseen, max(ratios) < 1.2, (row, ratios))
            if below is None or row[0] in ("const fields", "pinning", "delayed sleep", "padding"):
                below = times


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
