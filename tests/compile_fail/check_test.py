#!/usr/bin/env python3
"""Tests check.py itself: what it must refuse, it refuses.    check_test.py COMPILER"""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check  # noqa: E402

COMPILER = ["c++"]
GOOD = """// expect: the sentence
#ifdef RAMIE_MISUSE
static_assert(false, "the sentence");
#endif
"""


class Check(unittest.TestCase):
    def verdict(self, text):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "sample.cpp"
            source.write_text(text)
            return check.check(source, [*COMPILER, "-std=c++20"])

    def test_accepts_a_misuse_with_the_expected_text(self):
        self.assertIsNone(self.verdict(GOOD))

    def test_accepts_any_of_several_texts(self):
        self.assertIsNone(self.verdict(GOOD.replace("expect:", "expect: something else |")))

    def test_refuses_a_misuse_that_compiles(self):
        self.assertIn("the misuse compiles", self.verdict(GOOD.replace("(false", "(true")))

    def test_refuses_another_diagnostic(self):
        self.assertIn("does not say", self.verdict(GOOD.replace('"the sentence"', '"other words"')))

    def test_refuses_a_file_that_fails_without_the_misuse(self):
        self.assertIn("even without the misuse", self.verdict(GOOD + "nonsense\n"))

    def test_refuses_a_file_without_an_expected_text(self):
        self.assertIn(":1:", self.verdict(GOOD.replace("// expect: the sentence", "// text")))
        self.assertIn("is empty", self.verdict(GOOD.replace("the sentence\n", " \n", 1)))

    def test_refuses_a_file_without_the_misuse_marked(self):
        self.assertIn("RAMIE_MISUSE", self.verdict('// expect: x\nstatic_assert(false, "x");\n'))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        COMPILER = [sys.argv.pop(1)]
    unittest.main(verbosity=2)
