#!/usr/bin/env python3
"""Tests what ./run configures and builds, with a false cmake and setup."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class RunScript(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        shutil.copy(ROOT / "run", self.tree / "run")
        self.script("tools/setup.sh", 'echo "setup $*" >> "$CASE/log"')
        self.script("bin/cmake", 'echo "cmake $*" >> "$CASE/log"')
        self.script("bench/build_peers.sh", "true")
        self.script("build/release/bin/ramie", 'echo "ramie $*" >> "$CASE/log"')

    def script(self, name, body):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def run_it(self, *arguments):
        """Returns (exit status, the commands that it called)."""
        done = subprocess.run([self.tree / "run", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False,
                              env={"PATH": f"{self.tree}/bin:{os.environ['PATH']}", "CASE": str(self.tree)})
        self.addCleanup((self.tree / "log").unlink, missing_ok=True)
        return done.returncode, (self.tree / "log").read_text()

    def configured(self, tests, finished=True):
        (self.tree / "build/release/CMakeCache.txt").write_text(f"RAMIE_TESTS:BOOL={tests}\n")
        if finished:
            (self.tree / "build/release/build.ninja").touch()

    def test_it_wants_neither_tests_nor_their_packages(self):
        status, log = self.run_it("fib")
        self.assertEqual(status, 0, log)
        self.assertIn("setup peers\n", log)
        self.assertIn("cmake --preset release -DRAMIE_TESTS=OFF -DRAMIE_EXAMPLES=OFF\n", log)
        self.assertIn("ramie bench --quick --peers --summary --report build/report fib\n", log)

    def test_tests_that_are_there_stay(self):
        self.configured("ON")
        self.assertIn("cmake --preset release\n", self.run_it()[1])

    def test_a_folder_without_tests_stays_without(self):
        self.configured("OFF")
        self.assertIn("-DRAMIE_TESTS=OFF", self.run_it()[1])

    def test_a_configuration_that_failed_for_want_of_tests_is_repaired(self):
        self.configured("ON", finished=False)
        self.assertIn("-DRAMIE_TESTS=OFF", self.run_it()[1])

    def test_check_ends_before_the_build(self):
        status, log = self.run_it("--check")
        self.assertEqual(status, 0, log)
        self.assertIn("hierarchy.cpp.o", log)
        self.assertNotIn("--target programs", log)
        self.assertNotIn("ramie bench", log)


if __name__ == "__main__":
    unittest.main(verbosity=2)
