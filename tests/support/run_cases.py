#!/usr/bin/env python3
"""Runs the cases of a GoogleTest program, many in a process, and loses none of them.

    run_cases.py [--filter F] [--shard I/N] [--limit S] [--alone] [--may-be-empty] [--results FILE] -- PROGRAM [WORD...]

A process a case would spend most of its time on starting. Here the cases of a shard run one after another in one
process. Where the program dies in a case, or a case takes longer than the limit, that case has failed, and a new process
goes on with the case after it. What only shows at the end of a process (leaks) fails the shard under the name "the end".

    --filter F      as --gtest_filter takes it
    --shard I/N     the I-th (from 1) of N parts: every N-th case
    --limit S       seconds that one case may take (default 780: the watchdogs of the tests, ten minutes, come first)
    --alone         a process for each case (also where RAMIE_CASES_ALONE is set)
    --may-be-empty  no case at all is no failure
    --results FILE  writes FILE.tsv, a line a case: result, seconds, name; and FILE.log, everything that was printed

Prints the whole output of what failed, and one line of numbers. Exit status: 0 if no case failed, otherwise 1.
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

# Not only at the beginning of a line: a case may have left one unfinished.
RUNS = re.compile(rb"\[ RUN      \] (\S+)$")
ENDS = re.compile(rb"\[ {2}(     OK|FAILED |SKIPPED) \] ([^\s,]+)(?:, where .*)? \(\d+ ms\)$")
RESULTS = {b"     OK": "passed", b"FAILED ": "failed", b"SKIPPED": "skipped"}


def cases_of(program, chosen):
    """The names of the cases, in the program's order."""
    listed = subprocess.run([*program, "--gtest_list_tests", f"--gtest_filter={chosen}"], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, check=False)
    if listed.returncode != 0:
        sys.exit(f"run_cases: {program[-1]} cannot list its cases: exit status {listed.returncode}")
    names, suite = [], ""
    for line in listed.stdout.decode().splitlines():
        name = line.split("#", 1)[0].rstrip()
        if not name:
            continue
        if name.endswith(".") and not line.startswith(" "):
            suite = name
        elif suite and line.startswith("  ") and "DISABLED_" not in suite + name:
            names.append(suite + name.strip())
    return names


class Shard:
    def __init__(self, program, limit, log):
        self.program, self.limit, self.log = program, limit, log
        self.results = []  # (result, seconds, name), a case each

    def add(self, result, seconds, name, output):
        self.results.append((result, seconds, name))
        if result == "failed":
            sys.stdout.buffer.write(output)
            if not output.endswith(b"\n"):
                print()
            sys.stdout.flush()

    def run(self, names):
        """Runs the cases in one process. Gives those that it did not come to."""
        with tempfile.NamedTemporaryFile("w", prefix="ramie-cases.", suffix=".flags") as flags:
            # A file, since a command line has no room for thousands of names.
            flags.write("--gtest_filter=" + ":".join(names) + "\n--gtest_color=no\n--gtest_print_time=1\n")
            flags.flush()
            with subprocess.Popen([*self.program, f"--gtest_flagfile={flags.name}"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:
                return self.follow(process, names)

    def follow(self, process, names):
        state = {"case": None, "since": time.monotonic(), "late": False}
        over = threading.Event()

        def watch():
            while not over.wait(0.5):
                if time.monotonic() - state["since"] > self.limit:
                    state["late"] = True
                    # The program's own handlers (sanitizers, the test's) may say where it is; then it ends all the same.
                    for how, pause in ((signal.SIGABRT, 10), (signal.SIGKILL, 0)):
                        try:
                            os.killpg(process.pid, how)
                        except ProcessLookupError:
                            return
                        over.wait(pause)
                    return

        watchman = threading.Thread(target=watch)
        watchman.start()
        left, output = dict.fromkeys(names), bytearray()
        for line in process.stdout:
            self.log.write(line)
            begins, ends = RUNS.search(line.rstrip()), ENDS.search(line.rstrip())
            if begins:
                state["case"], state["since"] = begins[1].decode(), time.monotonic()
                output = bytearray()
            output += line
            if ends and ends[2].decode() == state["case"]:
                now = time.monotonic()
                self.add(RESULTS[ends[1]], now - state["since"], state["case"], output)
                left.pop(state["case"], None)
                state["case"], state["since"] = None, now
                output = bytearray()
        status = process.wait()
        over.set()
        watchman.join()
        failed_cases = any(result == "failed" for result, _, _ in self.results)
        if state["case"] is None and not left and (status == 0 or (status == 1 and failed_cases)):
            return []
        how = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
        if state["late"]:
            how = f"took longer than {self.limit} s and was ended"
        name = state["case"] or "the end"
        output += f"run_cases: {name}: the program {how}\n".encode()
        self.add("failed", time.monotonic() - state["since"], name, bytes(output))
        left.pop(name, None)
        # Without a case that began, another process would end in the same way.
        return list(left) if state["case"] else []


def main():
    words = argparse.ArgumentParser(add_help=False)
    words.add_argument("--filter", default="*")
    words.add_argument("--shard", default="1/1")
    words.add_argument("--limit", type=float, default=780)
    words.add_argument("--alone", action="store_true", default=bool(os.environ.get("RAMIE_CASES_ALONE")))
    words.add_argument("--may-be-empty", action="store_true")
    words.add_argument("--results", type=pathlib.Path)
    words.add_argument("program", nargs="+")
    options = words.parse_args()

    shard, shards = (int(number) for number in options.shard.split("/"))
    every = cases_of(options.program, options.filter)
    names = every[shard - 1::shards]
    if not every and not options.may_be_empty:
        sys.exit(f"run_cases: no case of {options.program[-1]} matches {options.filter}")

    results = options.results
    if results:
        results.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{results}.log" if results else os.devnull, "wb") as log:
        work = Shard(options.program, options.limit, log)
        if options.alone:
            for name in names:
                work.run([name])
        else:
            while names:
                names = work.run(names)
    if results:
        results.with_name(results.name + ".tsv").write_text(
            "".join(f"{result}\t{seconds:.3f}\t{name}\n" for result, seconds, name in work.results))
    numbers = {kind: sum(result == kind for result, _, _ in work.results) for kind in ("passed", "failed", "skipped")}
    print(", ".join(f"{number} {kind}" for kind, number in numbers.items()))
    sys.exit(1 if numbers["failed"] else 0)


if __name__ == "__main__":
    main()
