#!/usr/bin/env python3
"""Tests how ./test counts and reports, with a false cmake, ctest, and setup: what fails must be seen to fail."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

CTEST = """#!/bin/bash
while [ $# -gt 0 ]; do [ "$1" = --output-junit ] && report=$2; shift; done
echo "1/1 Test #1: a ...***Failed  1 s"
if [ -s "$CASE/junit" ]; then mkdir -p "$(dirname "$report")"; cp "$CASE/junit" "$report"; fi
exit $(cat "$CASE/status")
"""


def junit(tests, failures, skipped):
    # As ctest 3.25 writes it.
    return (f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="(empty)"\n\ttests="{tests}"\n'
            f'\tfailures="{failures}"\n\tdisabled="0"\n\tskipped="{skipped}"\n\thostname=""\n\ttime="4"\n>\n'
            '\t<testcase name="a" classname="a" time="1" status="run">\n\t\t<system-out>tests="99"</system-out>\n'
            '\t</testcase>\n</testsuite>\n')


class TestScript(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        shutil.copy(ROOT / "test", self.tree / "test")
        self.script("tools/setup.sh", "true")
        self.script("tools/check_layers.py", "true")
        self.script("bin/cmake", 'exit "$(cat "$CASE/build" 2>/dev/null || echo 0)"')
        self.script("bin/ctest", CTEST.split("\n", 1)[1])
        self.script("bin/python3", 'exec bash "$@"')
        self.script("bin/clang-format-19", 'echo formatted')
        (self.tree / "include").mkdir()

    def script(self, name, body):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def run_parts(self, *parts, report="", status=0):
        (self.tree / "junit").write_text(report)
        (self.tree / "status").write_text(str(status))
        done = subprocess.run([self.tree / "test", *parts], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False,
                              env={"PATH": f"{self.tree}/bin:{os.environ['PATH']}", "CASE": str(self.tree)})
        return done.returncode, done.stdout.splitlines()

    def test_the_last_line_sums_over_the_parts(self):
        status, lines = self.run_parts("release", "asan", "tsan", "layers", report=junit(20, 0, 1))
        self.assertEqual((status, lines[-1]), (0, "58 passed, 0 failed"), lines)

    def test_failures_are_counted_and_shown(self):
        status, lines = self.run_parts("release", report=junit(20, 3, 2), status=8)
        self.assertEqual((status, lines[-1]), (1, "15 passed, 3 failed"))
        self.assertTrue(any("***Failed" in line for line in lines), lines)

    def test_ctest_that_fails_without_a_failed_test_is_a_failure(self):
        status, lines = self.run_parts("release", report=junit(20, 0, 0), status=8)
        self.assertEqual((status, lines[-1]), (1, "19 passed, 1 failed"))

    def test_no_tests_at_all_is_a_failure(self):
        for report in ("", junit(0, 0, 0)):
            status, lines = self.run_parts("release", report=report)
            self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed"))

    def test_an_old_report_is_not_taken_for_a_new_one(self):
        self.run_parts("release", report=junit(20, 0, 0))
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
