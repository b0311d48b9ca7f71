#!/usr/bin/env python3
"""Tests tools/check_layers.py on small trees, good and bad."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_layers.py"

# A tree in which every rule is kept.
GOOD = {
    "include/ramie/base/units.hpp": "#pragma once\n#include <cstddef>\n",
    "include/ramie/queue/locked.hpp": "#pragma once\n#include <ramie/base/units.hpp>\n",
    "include/ramie/scheduler/worker.hpp": "#pragma once\n#include <ramie/queue/locked.hpp>\n",
    "include/ramie/sync/counter.hpp": "#pragma once\n#include <ramie/scheduler/worker.hpp>\n",
    "include/ramie/io/ring.hpp": "#pragma once\n#include <ramie/sync/counter.hpp>\n",
    "include/ramie/ramie.hpp": "#pragma once\n#include <ramie/sync/counter.hpp>\n",
    "src/scheduler/loop.hpp": "#pragma once\n",
    "src/scheduler/worker.cpp": '#include <ramie/scheduler/worker.hpp>\n#include "loop.hpp"\n#include "scheduler/loop.hpp"\n',
    "tests/scheduler/worker_test.cpp": '#include <ramie/ramie.hpp>\n#include "scheduler/loop.hpp"\n',
    "bench/framework/suite.hpp": "#pragma once\n",
    "bench/switch/ramie.cpp": '#include "../framework/suite.hpp"\n#include <ramie/ramie.hpp>\n',
    "apps/ramie/main.cpp": '#include "bench/framework/suite.hpp"\n',
    "examples/hello.cpp": "#include <ramie/ramie.hpp>\n",
}


class CheckLayers(unittest.TestCase):
    def check(self, changes=None):
        """Runs the script on GOOD with the changes; returns (exit status, findings)."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**GOOD, **(changes or {})}.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout.splitlines()

    def refuse(self, name, text, *parts):
        status, findings = self.check({name: text})
        self.assertEqual(status, 1, f"{name} was accepted")
        self.assertEqual(len(findings), 1, findings)
        for part in parts:
            self.assertIn(part, findings[0])

    def accept(self, name, text):
        self.assertEqual(self.check({name: text}), (0, []))

    def test_accepts_a_tree_that_keeps_the_rules(self):
        self.assertEqual(self.check(), (0, []))

    def test_a_lower_layer_must_not_include_a_higher_one(self):
        self.refuse("include/ramie/base/error.hpp", "#pragma once\n\n#include <ramie/queue/locked.hpp>\n",
                    "include/ramie/base/error.hpp:3: layer: #include <ramie/queue/locked.hpp>", "besides itself")
        self.refuse("src/queue/x.cpp", "#include <ramie/scheduler/worker.hpp>\n", "src/queue/x.cpp:1: layer:",
                    "`queue` must not include `scheduler`", "may include: base")

    def test_siblings_must_not_include_each_other(self):
        self.refuse("include/ramie/stack/arena.hpp", "#include <ramie/queue/locked.hpp>\n", "`stack`", "`queue`")
        self.refuse("include/ramie/job/job.hpp", "#include <ramie/io/ring.hpp>\n", "`job`", "`io`")

    def test_the_scheduler_includes_neither_io_nor_sync(self):
        self.refuse("src/scheduler/x.cpp", "#include <ramie/io/ring.hpp>\n", "`scheduler` must not include `io`")
        self.refuse("src/scheduler/x.cpp", "#include <ramie/sync/counter.hpp>\n", "`sync`")

    def test_a_quoted_or_relative_include_is_no_way_around(self):
        self.refuse("include/ramie/base/x.hpp", '#include "../queue/locked.hpp"\n', "`base` must not include `queue`")
        self.refuse("include/ramie/base/x.hpp", '  #  include "ramie/queue/locked.hpp"\n', "must not include `queue`")

    def test_no_layer_includes_the_umbrella(self):
        self.refuse("src/sync/x.cpp", "#include <ramie/ramie.hpp>\n", "umbrella")

    def test_private_headers_stay_in_their_layer(self):
        self.refuse("src/sync/x.cpp", '#include "scheduler/loop.hpp"\n', "private:", "private to layer `scheduler`")
        self.refuse("src/sync/x.cpp", '#include "../scheduler/loop.hpp"\n', "private to layer `scheduler`")
        self.refuse("src/sync/x.cpp", "#include <scheduler/loop.hpp>\n", "private to layer `scheduler`")
        self.refuse("include/ramie/scheduler/x.hpp", '#include "../../../src/scheduler/loop.hpp"\n', "not installed")

    def test_programs_use_public_headers_only(self):
        for room in ("apps/x.cpp", "bench/x.cpp", "examples/x.cpp", "tools/x.cpp"):
            self.refuse(room, '#include "../src/scheduler/loop.hpp"\n', "private:", "public headers only")
            self.accept(room, "#include <ramie/scheduler/worker.hpp>\n")

    def test_nothing_includes_a_room(self):
        self.refuse("src/sync/x.cpp", '#include "../../bench/framework/suite.hpp"\n', "room:", "`bench`")
        self.refuse("examples/x.cpp", '#include "../bench/framework/suite.hpp"\n', "room:", "`bench`")
        self.refuse("src/sync/x.cpp", '#include "framework/suite.hpp"\n', "room:", "`bench`")
        status, findings = self.check({"tests/support/x.hpp": "", "bench/x.cpp": '#include "../tests/support/x.hpp"\n'})
        self.assertEqual((status, len(findings)), (1, 1))

    def test_tests_include_anything(self):
        self.accept("tests/base/x_test.cpp", '#include "scheduler/loop.hpp"\n#include "bench/framework/suite.hpp"\n')

    def test_unknown_layers_and_missing_files_are_named(self):
        self.refuse("include/ramie/turbo/x.hpp", "#pragma once\n", "`turbo` is no layer", "LAYERS")
        self.refuse("src/sync/x.cpp", "#include <ramie/sync/gone.hpp>\n", "path:", "no such file")
        self.refuse("src/sync/x.cpp", "#include <ramie/io/gone.hpp>\n", "layer:", "`io`")
        self.refuse("src/sync/x.cpp", '#include "gone.hpp"\n', "path:", "no such file")

    def test_computed_includes_are_refused(self):
        self.refuse("src/sync/x.cpp", "#define F <ramie/io/ring.hpp>\n#include F\n", "src/sync/x.cpp:2: path:")
        self.accept("include/ramie/base/provider.hpp", "#include RAMIE_PROVIDER_HEADER\n")
        self.refuse("src/base/provider.cpp", "#include RAMIE_PROVIDER_HEADER\n", "src/base/provider.cpp:1: path:")

    def test_comments_are_not_code(self):
        self.accept("src/base/x.cpp", "// #include <ramie/io/ring.hpp>\n/* a\n#include <ramie/io/ring.hpp>\n*/\n")
        self.refuse("src/base/x.cpp", "/* a\n*/ #include <ramie/io/ring.hpp>\n", "src/base/x.cpp:2:")
        self.refuse("src/base/x.cpp", "// see src/*.cpp\n#include <ramie/io/ring.hpp>\n", "src/base/x.cpp:2:")

    def test_long_files_are_refused(self):
        self.accept("src/base/x.cpp", "//\n" * 600)
        self.refuse("src/base/x.cpp", "//\n" * 601, "length:", "601 lines")
        self.refuse("tools/x.py", "#\n" * 601, "tools/x.py:601: length:")

    def test_every_finding_is_reported(self):
        status, findings = self.check({"src/base/x.cpp": "#include <ramie/io/ring.hpp>\n#include <ramie/ramie.hpp>\n"})
        self.assertEqual((status, len(findings)), (1, 2))


if __name__ == "__main__":
    unittest.main(verbosity=2)
