#!/usr/bin/env python3
"""Tests how ./test counts and reports, with a false cmake, ctest, and setup: what fails must be seen to fail."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

CTEST = """#!/bin/bash
while [ $# -gt 0 ]; do [ "$1" = --output-junit ] && report=$2; shift; done
echo "1/1 Test #1: a ...***Failed  1 s"
build=$(dirname "$report")
if [ -s "$CASE/junit" ]; then mkdir -p "$build"; cp "$CASE/junit" "$report"; fi
if [ -d "$CASE/cases" ]; then cp -r "$CASE/cases" "$build/cases"; fi
exit $(cat "$CASE/status")
"""


def junit(passed=0, failed=0, skipped=0, shard=""):
    """As ctest 3.25 writes it. The shard's status may be run or fail."""
    tests = passed + failed + skipped
    lines = [f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="(empty)"\n\ttests="{tests}"\n'
             f'\tfailures="{failed}"\n\tdisabled="0"\n\tskipped="{skipped}"\n\thostname=""\n\ttime="4"\n>']
    for status, number in (("run", passed), ("fail", failed), ("notrun", skipped)):
        lines += [f'\t<testcase name="{status}{i}" classname="a" time="1" status="{status}">\n'
                  '\t\t<system-out>tests="99"</system-out>\n\t</testcase>' for i in range(number)]
    if shard:
        lines.append(f'\t<testcase name="base.unit.1" classname="a" time="1" status="{shard}"/>')
    return "\n".join(lines) + "\n</testsuite>\n" if tests or shard else "<testsuite/>"


class TestScript(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        shutil.copy(ROOT / "test", self.tree / "test")
        (self.tree / "tools").mkdir()
        shutil.copy(ROOT / "tools/test_report.py", self.tree / "tools/test_report.py")
        self.script("tools/setup.sh", "true")
        self.script("tools/check_layers.py", "true")
        self.script("bin/cmake", 'exit "$(cat "$CASE/build" 2>/dev/null || echo 0)"')
        self.script("bin/ctest", CTEST.split("\n", 1)[1])
        self.script("bin/python3",
                    f'case $1 in *test_report.py) exec {shlex.quote(sys.executable)} "$@" ;; *) exec bash "$@" ;; esac')
        self.script("bin/clang-format-19", 'echo formatted')
        (self.tree / "include").mkdir()

    def script(self, name, body):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def cases(self, *lines):
        (self.tree / "cases").mkdir(exist_ok=True)
        (self.tree / "cases/base.unit.1.tsv").write_text("".join(f"{line}\n" for line in lines))

    def run_parts(self, *parts, report="", status=0, environment=None):
        (self.tree / "junit").write_text(report)
        (self.tree / "status").write_text(str(status))
        done = subprocess.run([self.tree / "test", *parts], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False,
                              env={"PATH": f"{self.tree}/bin:{os.environ['PATH']}", "CASE": str(self.tree),
                                   **(environment or {})})
        return done.returncode, done.stdout.splitlines()

    def test_the_last_line_sums_over_the_parts(self):
        status, lines = self.run_parts("release", "asan", "tsan", "layers", report=junit(19, 0, 1))
        self.assertEqual((status, lines[-1]), (0, "58 passed, 0 failed"), lines)

    def test_failures_are_counted_and_shown(self):
        status, lines = self.run_parts("release", report=junit(15, 3, 2), status=8)
        self.assertEqual((status, lines[-1]), (1, "15 passed, 3 failed"))
        self.assertTrue(any("***Failed" in line for line in lines), lines)

    def test_ctest_that_fails_without_a_failed_test_is_a_failure(self):
        status, lines = self.run_parts("release", report=junit(20, 0, 0), status=8)
        self.assertEqual((status, lines[-1]), (1, "20 passed, 1 failed"))

    def test_a_shard_counts_as_its_cases(self):
        self.cases("passed\t0.5\tA.A", "passed\t0.1\tA.B", "skipped\t0\tA.C")
        status, lines = self.run_parts("release", report=junit(3, shard="run"))
        self.assertEqual((status, lines[-1]), (0, "5 passed, 0 failed"), lines)

    def test_a_case_that_fails_is_one_failure(self):
        self.cases("passed\t0.5\tA.A", "failed\t0.1\tA.B")
        status, lines = self.run_parts("release", report=junit(3, shard="fail"), status=8)
        self.assertEqual((status, lines[-1]), (1, "4 passed, 1 failed"), lines)

    def test_a_shard_that_ended_before_its_cases_did_is_a_failure(self):
        self.cases("passed\t0.5\tA.A")
        status, lines = self.run_parts("release", report=junit(3, shard="fail"), status=8)
        self.assertEqual((status, lines[-1]), (1, "4 passed, 1 failed"), lines)

    def test_the_slowest_steps_are_told(self):
        self.cases("passed\t70.5\tA.Slow", "passed\t0.1\tA.B")
        lines = self.run_parts("release", report=junit(3, shard="run"))[1]
        self.assertIn("    70.5 s  release: A.Slow", lines)

    def test_a_part_far_over_its_budget_fails_where_that_is_asked_for(self):
        self.script("tools/check_layers.py", "sleep 3")
        text = (self.tree / "test").read_text()
        self.assertIn("[layers]=", text)
        (self.tree / "test").write_text(re.sub(r"\[layers\]=\d+", "[layers]=1", text))
        self.assertEqual(self.run_parts("layers")[1][-1], "1 passed, 0 failed")
        status, lines = self.run_parts("layers", environment={"CI": "true"})
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"), lines)

    def test_no_tests_at_all_is_a_failure(self):
        for report in ("", junit()):
            status, lines = self.run_parts("release", report=report)
            self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed"))

    def test_an_old_report_is_not_taken_for_a_new_one(self):
        self.run_parts("release", report=junit(20))
        status, lines = self.run_parts("release", report="", status=1)
        self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed"))

    def test_a_build_that_fails_does_not_stop_the_other_parts(self):
        (self.tree / "build").mkdir()
        self.script("bin/cmake", 'case "$*" in "--build --preset release"*) exit 1 ;; esac')
        status, lines = self.run_parts("release", "tsan", report=junit(7, 0, 0))
        self.assertEqual((status, lines[-1]), (1, "7 passed, 1 failed"))
        self.assertTrue(any("release:" in line and "FAILED to build" in line for line in lines), lines)

    def test_a_failed_check_is_counted(self):
        self.script("tools/check_layers.py", "echo 'src/base/x.cpp:1: layer: wrong'; exit 1")
        status, lines = self.run_parts("layers")
        self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed"))
        self.assertIn("src/base/x.cpp:1: layer: wrong", lines)

    def test_a_part_that_cannot_run_here_is_neither_passed_nor_failed(self):
        self.script("tests/bare/check.sh", "echo 'bare: skipped: no mounts'; exit 77")
        status, lines = self.run_parts("bare", "layers")
        self.assertEqual((status, lines[-1]), (0, "1 passed, 0 failed"), lines)
        self.assertTrue(any("SKIPPED (bare: skipped: no mounts)" in line for line in lines), lines)
        status, lines = self.run_parts("bare")
        self.assertEqual((status, lines[-1]), (1, "0 passed, 0 failed"), lines)

    def test_a_failed_bare_machine_is_a_failure(self):
        self.script("tests/bare/check.sh", "echo 'bare: run_as_root: failed'; exit 1")
        self.assertEqual(self.run_parts("bare")[1][-1], "0 passed, 1 failed")

    def test_check_builds_and_tests_nothing_else(self):
        self.script("bin/cmake", 'echo "$*" >> "$CASE/cmake.log"')
        self.script("bin/ctest", "exit 1")
        status, lines = self.run_parts("--check")
        self.assertEqual((status, lines[-1]), (0, "1 passed, 0 failed"), lines)
        self.assertIn("--preset release", (self.tree / "cmake.log").read_text())

    def test_wrong_format_is_a_failure(self):
        (self.tree / "include/x.hpp").write_text("int  x;\n")
        self.script("bin/clang-format-19", 'echo "x.hpp:1: not formatted"; exit 1')
        status, lines = self.run_parts("format")
        self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed"), lines)

    def test_setup_that_fails_is_a_failure_and_the_rest_still_runs(self):
        self.script("tools/setup.sh", "echo 'setup: no network' >&2; exit 1")
        status, lines = self.run_parts("release", report=junit(7, 0, 0))
        self.assertEqual((status, lines[-1]), (1, "7 passed, 1 failed"))

    def test_unknown_parts_are_refused(self):
        self.assertEqual(self.run_parts("everything")[0], 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
