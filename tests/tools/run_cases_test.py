#!/usr/bin/env python3
"""Tests run_cases.py with a false GoogleTest program: no case is lost, whatever becomes of the program."""
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Each case does what its name says.
PROGRAM = """
import os, re, signal, sys, time
cases = {cases!r}
words = dict(word[2:].split("=", 1) for word in sys.argv[1:] if "=" in word)
if "gtest_flagfile" in words:
    chosen = re.search("gtest_filter=(.*)", open(words["gtest_flagfile"]).read())[1].split(":")
else:
    print("Running main() from gtest_main.cc")
    print("Suite.\\n" + "".join(f"  {{case}}  # GetParam() = 1\\n" for case in cases), end="")
    sys.exit()
bad = 0
for case in cases:
    if "Suite." + case not in chosen:
        continue
    print(f"[ RUN      ] Suite.{{case}}", flush=True)
    if case.startswith("Die"): os.kill(os.getpid(), signal.SIGSEGV)
    if case.startswith("Exit"): os._exit(0)
    if case.startswith("Hang"): time.sleep(60)
    if case.startswith("Unfinished"): print("no end of line ", end="")
    result = "FAILED " if case.startswith("Fail") else "SKIPPED" if case.startswith("Skip") else "     OK"
    bad += result == "FAILED "
    print(f"of process {{os.getpid()}}")
    print(f"[  {{result}} ] Suite.{{case}}{{', where GetParam() = 1' if bad else ''}} (1 ms)", flush=True)
if "leak" in {options!r}:
    print("LeakSanitizer: detected memory leaks")
    sys.exit(23)
sys.exit(bad > 0)
"""


class RunCases(unittest.TestCase):
    def run_program(self, *cases, words=(), options=""):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program.py"
            program.write_text(textwrap.dedent(PROGRAM).format(cases=cases, options=options))
            done = subprocess.run([sys.executable, ROOT / "tests/support/run_cases.py", f"--results={folder}/out",
                                   *words, "--", sys.executable, program],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            results = pathlib.Path(folder) / "out.tsv"
            lines = results.read_text().splitlines() if results.exists() else []
            self.results = [(line.split("\t")[0], line.split("\t")[2].replace("Suite.", "")) for line in lines]
            self.log = (pathlib.Path(folder) / "out.log").read_text() if results.exists() else ""
            self.output = done.stdout
            return done.returncode

    def test_all_cases_run_in_one_process(self):
        self.assertEqual(self.run_program("A", "B", "SkipC"), 0)
        self.assertEqual(self.results, [("passed", "A"), ("passed", "B"), ("skipped", "SkipC")])
        self.assertEqual(len(set(line for line in self.log.splitlines() if line.startswith("of process"))), 1)
        self.assertEqual(self.output, "2 passed, 0 failed, 1 skipped\n")

    def test_alone_each_case_has_a_process(self):
        self.assertEqual(self.run_program("A", "B", words=["--alone"]), 0)
        self.assertEqual(len(set(line for line in self.log.splitlines() if line.startswith("of process"))), 2)

    def test_a_failure_is_shown_and_the_others_are_not(self):
        self.assertEqual(self.run_program("A", "FailB", "C"), 1)
        self.assertEqual(self.results, [("passed", "A"), ("failed", "FailB"), ("passed", "C")])
        self.assertIn("RUN      ] Suite.FailB", self.output)
        self.assertNotIn("Suite.A", self.output)
        self.assertTrue(self.output.endswith("2 passed, 1 failed, 0 skipped\n"), self.output)

    def test_what_dies_costs_no_other_case(self):
        self.assertEqual(self.run_program("A", "DieB", "C", "ExitD", "E", words=["--limit=60"]), 1)
        self.assertEqual(self.results, [("passed", "A"), ("failed", "DieB"), ("passed", "C"), ("failed", "ExitD"),
                                        ("passed", "E")])
        self.assertIn("Suite.DieB: the program was killed by SIGSEGV", self.output)
        self.assertIn("Suite.ExitD: the program ended with status 0", self.output)

    def test_what_hangs_is_ended(self):
        self.assertEqual(self.run_program("HangA", "B", words=["--limit=1"]), 1)
        self.assertEqual(self.results, [("failed", "HangA"), ("passed", "B")])
        self.assertIn("Suite.HangA: the program took longer than 1.0 s and was ended", self.output)

    def test_what_shows_at_the_end_fails(self):
        self.assertEqual(self.run_program("A", options="leak"), 1)
        self.assertEqual(self.results, [("passed", "A"), ("failed", "the end")])
        self.assertIn("LeakSanitizer", self.output)

    def test_a_line_that_a_case_left_unfinished_hides_nothing(self):
        self.assertEqual(self.run_program("UnfinishedA", "UnfinishedB"), 0)
        self.assertEqual(self.results, [("passed", "UnfinishedA"), ("passed", "UnfinishedB")])

    def test_shards_are_all_the_cases(self):
        found = []
        for shard in ("1/2", "2/2"):
            self.assertEqual(self.run_program("A", "B", "C", words=[f"--shard={shard}"]), 0)
            found += [name for _, name in self.results]
        self.assertEqual(sorted(found), ["A", "B", "C"])

    def test_no_case_at_all_is_a_failure_unless_that_is_allowed(self):
        self.assertEqual(self.run_program(), 1)
        self.assertIn("no case", self.output)
        self.assertEqual(self.run_program(words=["--may-be-empty"]), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
