#!/usr/bin/env python3
"""Tests the program ramie from outside: help, mistakes, pipes, a terminal, Ctrl-C, completion.

    cli_test.py PROGRAM [unittest arguments]
"""
import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

RAMIE = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "ramie"
SHORT = ["bench", "switch", "--runs", "1", "--duration-ms", "1"]
# Nobody waits for its end: many thousands of repetitions.
LONG = ["bench", "switch", "--runs", "1000", "--duration-ms", "200"]
# Seconds that a test waits for what it is sure of, however busy the machine is.
PATIENCE = 300


def environment(**more):
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
    return {**env, "TERM": "xterm", **more}


def ramie(*arguments, **more):
    return subprocess.run([RAMIE, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=PATIENCE, check=False, env=environment(**more))


class Terminal:
    """The program with a terminal as its controlling one; what it wrote is in text."""

    def __init__(self, *arguments, columns=200, **more):
        self.text = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(RAMIE, [RAMIE, *arguments], environment(**more))
        import fcntl
        import struct
        import termios
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))

    def read(self, until=None):
        """Until `until` was read, or the end."""
        end = time.monotonic() + PATIENCE
        while until is None or until not in self.text:
            if time.monotonic() > end:
                raise AssertionError(f"no {until!r} within {PATIENCE} s in {self.text!r}")
            if not select.select([self.fd], [], [], 0.5)[0]:
                continue
            try:
                got = os.read(self.fd, 65536)
            except OSError:  # the other side is closed
                break
            if not got:
                break
            self.text += got.decode()
        return self.text

    def press(self, key):
        os.write(self.fd, key)

    def status(self):
        self.read()
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def bare(text):
    return re.sub(r"\x1b\[[0-9;]*[mK]", "", text)


class Help(unittest.TestCase):
    def test_examples_are_command_lines(self):
        found = 0
        for page in (["--help"], ["bench", "--help"]):
            for line in ramie(*page).stdout.splitlines():
                match = re.fullmatch(r"    ramie (bench\b[^|>]*).*", line)
                if not match:
                    continue
                found += 1
                arguments = shlex.split(match.group(1))
                if "--list" not in arguments:
                    arguments.append("--list")
                with tempfile.TemporaryDirectory() as folder:
                    done = subprocess.run([RAMIE, *arguments], cwd=folder, capture_output=True, text=True,
                                          timeout=PATIENCE, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        self.assertGreaterEqual(found, 6)

    def test_version_is_short(self):
        done = ramie("--version")
        self.assertRegex(done.stdout, r"^ramie \d+\.\d+\.\d+\nbuilt by (gcc|clang) ")
        self.assertEqual(len(done.stdout.splitlines()), 3, done.stdout)


class Mistakes(unittest.TestCase):
    def check(self, expected, *arguments):
        done = ramie(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 2, done.stderr)
        self.assertTrue(lines[0].startswith("ramie: ") and expected in lines[0], lines)
        self.assertRegex(lines[1], r"^See ramie( \w+)? --help\.$")

    def test_each_is_told_with_a_way_out(self):
        self.check("did you mean --workers?", "bench", "--worker", "4")
        self.check("there is no suite 'swtich'", "bench", "swtich")
        self.check("did you mean 'bench'?", "benhc")
        self.check("needs a value", "bench", "--json")
        self.check("exclude each other", "bench", "--quick", "--full")
        self.check("given twice", "bench", "--seed", "1", "--seed", "2")
        self.check("cannot write", "bench", "--json", "/no/such/x.json")
        self.check("no folder", "bench", "--peers", "--peers-dir", "/no/such")
        self.check("not a whole number", "bench", "--workers", "1,0")


class Pipes(unittest.TestCase):
    def test_a_reader_that_leaves_ends_it_quietly(self):
        for restore in (True, False):  # with SIGPIPE ignored by its starter, too
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, "out.json")
                program = subprocess.Popen([RAMIE, *LONG, "--json", file], stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, restore_signals=restore, text=True)
                program.stdout.readline()
                program.stdout.close()
                said = program.stderr.read()
                program.stderr.close()
                self.assertEqual(program.wait(PATIENCE), 141, said)
                self.assertNotIn("ramie:", said)
                with open(file, encoding="utf-8") as text:
                    rows = json.load(text)["rows"]
                self.assertTrue(all(row["runs"] < 1000 for row in rows), rows)

    def test_help_into_a_closed_pipe_is_quiet(self):
        read, write = os.pipe()
        os.close(read)
        for restore in (True, False):
            done = subprocess.run([RAMIE, "bench", "--help"], stdout=write, stderr=subprocess.PIPE, check=False,
                                  restore_signals=restore)
            self.assertEqual(done.stderr, b"")
            self.assertIn(done.returncode, (-signal.SIGPIPE, 141))
        os.close(write)

    def test_a_full_disk_is_told(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([RAMIE, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "ramie: cannot write to standard output: No space left on device\n"))


class Report(unittest.TestCase):
    def test_the_plots_name_no_runtime_and_no_suite_that_is_not_there(self):
        listed = ramie("bench", "--list").stdout
        drawing = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/report/drawing.py")
        with open(drawing, encoding="utf-8") as file:
            text = file.read()
        for table, place in (("RUNTIMES", r"(?:\b|_)%s\b"), ("GREYS", r"\b%s\b"), ("NOT_SCALING", r"(?m)^%s: ")):
            names = re.findall(r'"(\w+)"', re.search(rf"^{table} = \{{(.*?)\}}", text, re.M | re.S).group(1))
            self.assertGreater(len(names), 1, table)
            for name in names:
                self.assertRegex(listed, place % name, table)

    def test_a_file_that_is_no_run_is_a_mistake(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            large = os.path.join(folder, "large.json")
            with open(large, "w", encoding="utf-8") as file:
                file.write('{"rows": [1e999]}')
            for file, expected in (("/no/such.json", "cannot read '/no/such.json'"), (folder, "is a folder"),
                                   (__file__, "is no JSON"), (large, f"'{large}' is no result of")):
                done = ramie("report", file, out)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(expected, done.stderr)
                self.assertIn("See ramie report --help.", done.stderr)
                self.assertNotIn("exception", done.stderr)
                self.assertFalse(os.path.exists(out))

    def test_a_full_disk_is_told(self):
        with tempfile.TemporaryDirectory() as folder, open("/dev/full", "w", encoding="utf-8") as full:
            file = os.path.join(folder, "run.json")
            self.assertEqual(ramie(*SHORT, "--json", file).returncode, 0)
            done = subprocess.run([RAMIE, "report", file, folder], stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False, timeout=PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ramie: cannot write to standard output: No space left on device\n", done.stderr)


class Colour(unittest.TestCase):
    def test_only_on_a_terminal(self):
        self.assertNotIn("\x1b", ramie(*SHORT).stdout)
        terminal = Terminal(*SHORT)
        self.assertEqual(terminal.status(), 0, terminal.text)
        self.assertIn("\x1b[36m", terminal.text)
        self.assertIn("\x1b[1mswitch\x1b[0m", terminal.text)

    def test_no_color_and_never_switch_it_off(self):
        for arguments, env in ((SHORT, {"NO_COLOR": "1"}), ([*SHORT, "--color", "never"], {}), (SHORT, {"TERM": "dumb"})):
            terminal = Terminal(*arguments, **env)
            self.assertEqual(terminal.status(), 0, terminal.text)
            self.assertNotIn("\x1b[", terminal.text)

    def test_always_is_obeyed_in_a_pipe_and_keeps_the_columns(self):
        text = ramie(*SHORT, "--color", "always", NO_COLOR="1").stdout
        self.assertIn("\x1b[36m", text)
        lines = bare(text).splitlines()
        heading = next(line for line in lines if " runtime " in line)
        row = next(line for line in lines if " control " in line)
        self.assertEqual(heading.index("runtime"), row.index("control"))
        self.assertIn("\x1b[1m", ramie("bench", "--color", "always", "--help").stdout)

    def test_a_narrow_terminal_gets_no_wrapped_statistics(self):
        terminal = Terminal(*SHORT, columns=70)
        self.assertEqual(terminal.status(), 0)
        self.assertIn("left out here", terminal.text)
        self.assertNotIn("attempts", terminal.text)


class Progress(unittest.TestCase):
    def test_a_terminal_sees_how_much_is_done_and_what_is_left(self):
        terminal = Terminal("bench", "switch", "--runs", "30", "--duration-ms", "30")
        terminal.read("s left]")
        terminal.press(b"\x03")
        self.assertEqual(terminal.status(), 130, terminal.text)
        self.assertRegex(terminal.text, r"\r\[ *\d+ %, about \d+ s left\] switch \w+: ")


class RunScript(unittest.TestCase):
    """./run with stubs for all that it starts."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../run")
        shutil.copy(script, os.path.join(self.root, "run"))
        with open(script, encoding="utf-8") as text:
            program = re.search(r"^program=(\S+)$", text.read(), re.M).group(1)
        for name in ("tools/setup.sh", "bench/build_peers.sh", "bin/cmake"):
            self.stub(name, "")
        self.stub(program, "printf '%s\\n' \"$@\"; exit 3")

    def stub(self, name, body):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{body}\n")
        os.chmod(path, 0o755)

    def run_script(self, *arguments):
        path = os.path.join(self.root, "bin") + os.pathsep + os.environ["PATH"]
        return subprocess.run([os.path.join(self.root, "run"), *arguments], capture_output=True, text=True, check=False,
                              timeout=60, env=environment(PATH=path))

    def measured(self, *arguments):
        """The arguments of the program, after those that it always gets."""
        done = self.run_script(*arguments)
        self.assertEqual((done.returncode, done.stderr), (3, ""), "the status is that of the program")
        steps, told = done.stdout.split("[5/5] ")
        self.assertLessEqual(len(steps.splitlines()), 10, steps)
        lines = told.splitlines()
        self.assertEqual(lines[0], "ramie " + " ".join(lines[1:]))
        self.assertEqual(lines[1:4], ["bench", "--quick", "--peers"])
        return lines[4:]

    def test_it_ends_with_the_summary_unless_told_otherwise(self):
        report = ["--report", "build/report"]
        self.assertEqual(self.measured(), ["--summary", *report])
        self.assertEqual(self.measured("--verbose"), report)
        self.assertEqual(self.measured("switch", "--verbose", "--workers", "1"), [*report, "switch", "--workers", "1"])
        self.assertEqual(self.measured("--summary", "--report", "a b"), ["--summary", "--report", "a b"])
        self.assertEqual(self.measured("--report=x"), ["--summary", "--report=x"])

    def test_help_is_its_head(self):
        done = self.run_script("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("./run --verbose", done.stdout)
        self.assertTrue(done.stdout.rstrip().endswith("says."), done.stdout)
        self.assertNotIn("set -u", done.stdout)


class Interruption(unittest.TestCase):
    def check_end(self, terminal, status, file=None):
        self.assertEqual(terminal.status(), status, terminal.text)
        self.assertEqual(len(re.findall(r"Interrupted", terminal.text)), 1, terminal.text)
        # Nothing of the progress line is left before the last words.
        last = bare(terminal.text).rstrip().split("\n")[-1].rsplit("\r", 1)[-1]
        self.assertTrue(last.startswith("Interrupted"), terminal.text)
        if file:
            with open(file, encoding="utf-8") as text:
                return json.load(text)["rows"]
        return None

    def test_control_c_prints_and_writes_what_was_finished(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "out.json")
            terminal = Terminal(*LONG[:-1], "5", "--json", file)
            terminal.read("3/1000")
            terminal.press(b"\x03")
            rows = self.check_end(terminal, 130, file)
            self.assertTrue(rows and all(r["verified"] and r["runs"] >= 2 for r in rows), rows)
            self.assertIn("Ctrl-C again", terminal.text)

    def test_the_report_of_an_interrupted_run_has_plots(self):
        pythons = [p for p in (shutil.which("python3"), "/usr/bin/python3") if p]
        if all(subprocess.run([p, "-c", "import matplotlib"], stderr=subprocess.DEVNULL, check=False).returncode
               for p in pythons):
            self.skipTest("matplotlib is not installed")
        with tempfile.TemporaryDirectory() as folder:
            terminal = Terminal(*LONG, "--report", folder)
            terminal.read("3/1000")
            terminal.press(b"\x03")
            self.check_end(terminal, 130)
            with open(os.path.join(folder, "index.html"), encoding="utf-8") as text:
                page = text.read()
        self.assertIn('id="plot-switch-bars"', page)
        self.assertNotIn("could not be drawn", page + terminal.text)
        self.assertIn("Interrupted: only the rows", page)

    def test_control_c_while_preparing(self):
        for duration in ("200", "2000", "20000"):  # ms; the key may come too late for a short one
            terminal = Terminal(*LONG[:-1], duration)
            terminal.read("warm-up")
            terminal.press(b"\x03")
            self.check_end(terminal, 130)
            if "before the first row" in terminal.text:
                return
        self.fail(terminal.text)

    def test_control_c_in_a_child_process_ends_at_once(self):
        terminal = Terminal("bench", "million", "--quick", "--runs", "1000")
        terminal.read("1/1000")
        terminal.press(b"\x03")
        self.check_end(terminal, 130)
        self.assertNotIn("NOT VERIFIED", terminal.text)
        self.assertNotIn("1000/1000", terminal.text)

    def test_sigterm_reaches_the_child_and_is_status_143(self):
        terminal = Terminal("bench", "million", "--quick", "--runs", "1000")
        terminal.read("1/1000")
        os.kill(terminal.pid, signal.SIGTERM)
        self.check_end(terminal, 143)
        self.assertNotIn("NOT VERIFIED", terminal.text)

    def test_the_second_one_kills_at_once_and_leaves_a_clean_line(self):
        terminal = Terminal("bench", "switch", "--runs", "1000", "--duration-ms", "30000")
        terminal.read("warm-up")
        terminal.press(b"\x03")
        terminal.read("Ctrl-C again")
        terminal.press(b"\x03")
        # A repetition may have ended between the two.
        self.assertIn(terminal.status(), (-signal.SIGINT, 130), terminal.text)


def bash_candidates(script, line):
    """The offers of TAB at the end of `line`, split as bash splits it."""
    words = [w for w in re.split(r"\s+|(=)", line) if w] + ([""] if line.endswith(" ") else [])
    program = (f"{script}\ncomplete -p ramie >/dev/null || exit 9\n"
               f"COMP_WORDS=({' '.join(shlex.quote(w) for w in words)}); COMP_CWORD={len(words) - 1}\n"
               "_ramie; printf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "--norc", "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=True)
    if done.stderr:
        raise AssertionError(done.stderr)
    return [c for c in done.stdout.splitlines() if c]


class Completion(unittest.TestCase):
    def setUp(self):
        self.script = ramie("completion", "bash").stdout

    def offers(self, line):
        return bash_candidates(self.script, line)

    def test_bash_commands_and_options(self):
        self.assertEqual(self.offers("ramie "), ["bench", "report", "completion", "help"])
        self.assertEqual(self.offers("ramie be"), ["bench"])
        self.assertEqual(self.offers("ramie --v"), ["--version"])
        self.assertEqual(self.offers("ramie bench --wo"), ["--workers"])
        self.assertEqual(self.offers("ramie completion "), ["bash", "zsh", "fish"])
        self.assertEqual(self.offers("ramie help b"), ["bench"])

    def test_bash_options_are_those_of_the_help(self):
        shown = set(re.findall(r"^  (?:-h, )?(--[\w-]+)", ramie("bench", "--help").stdout, re.M))
        self.assertGreater(len(shown), 12)
        self.assertEqual({o for o in self.offers("ramie bench --")}, shown)

    def test_bash_values(self):
        kinds = ["global", "locked", "abp", "chase_lev", "bwos_lifo", "bwos_fifo", "exchange", "split"]
        self.assertEqual(self.offers("ramie bench --queue "), kinds)
        self.assertEqual(self.offers("ramie bench --queue=lo"), ["locked"])
        self.assertEqual(self.offers("ramie bench --queue="), kinds)
        self.assertEqual(self.offers("ramie bench --bwos-grant "), ["early", "faithful"])
        self.assertEqual(self.offers("ramie bench --quick --victim last"), ["last_victim"])
        self.assertEqual(self.offers("ramie bench --quick --victim hier"), ["hierarchical"])
        self.assertEqual(self.offers("ramie bench --topology "), [])
        self.assertEqual(self.offers("ramie bench --stealing "), ["on", "off"])
        self.assertEqual(self.offers("ramie bench --runs "), [])
        suites = re.findall(r"^(\w+): ", ramie("bench", "--list").stdout, re.M)
        self.assertGreater(len(suites), 2)
        self.assertEqual(self.offers("ramie bench --quick "), suites)

    def test_bash_files_and_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "a folder"))
            with open(os.path.join(folder, "a file"), "w", encoding="utf-8"):
                pass
            prefix = os.path.join(folder, "a")
            self.assertEqual(sorted(self.offers(f"ramie bench --json {prefix}")), [f"{prefix} file", f"{prefix} folder"])
            self.assertEqual(self.offers(f"ramie bench --peers-dir {prefix}"), [f"{prefix} folder"])

    def test_bash_file_and_folder_of_the_report(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "run.json")
            with open(file, "w", encoding="utf-8"):
                pass
            self.assertEqual(self.offers(f"ramie report {folder}/"), [file])
            self.assertEqual(self.offers(f"ramie report {file} {folder}"), [folder])
            self.assertEqual(self.offers("ramie report --h"), ["--help"])

    def test_scripts_are_well_formed(self):
        for shell, check in (("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])):
            script = ramie("completion", shell).stdout
            self.assertGreater(len(script), 500)
            if shutil.which(check[0]):
                with tempfile.NamedTemporaryFile("w", suffix=shell) as file:
                    file.write(script)
                    file.flush()
                    done = subprocess.run([*check, file.name], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)
            else:
                shlex.split(script, comments=True)  # raises where quotes do not match


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
