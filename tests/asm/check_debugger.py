#!/usr/bin/env python3
"""Stops a program inside a fiber with gdb and looks at the backtrace: it ends at the fiber's entry, without complaint.

    check_debugger.py --gdb PROGRAM --out FILE -- COMPILER WORD...

Builds debugged_program.cpp (COMPILER WORD... -o FILE), which calls stop_here() in a fresh fiber, in a resumed one, in
one of swap_context, and on the thread's own stack.
"""
import argparse
import pathlib
import re
import subprocess
import sys

# Every stop: the function at the outermost frame, and one that must be on the way.
STOPS = [("ramie_context_entry", "fiber_main"), ("ramie_context_entry", "fiber_main"),
         ("ramie_saved_entry", "saved_main"), ("main", "stop_here")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gdb", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([*arguments.command, "-o", str(arguments.out)], check=True)

    commands = ["set debuginfod enabled off", "set confirm off", "break stop_here", "run"]
    for number in range(len(STOPS)):
        commands += [f"echo <<stop {number}>>\\n", "backtrace", "echo <<end>>\\n", "continue"]
    words = [arguments.gdb, "-nx", "-batch"]
    for command in commands:
        words += ["-ex", command]
    ran = subprocess.run([*words, str(arguments.out)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, timeout=600)
    failures = []
    for number, (outermost, on_the_way) in enumerate(STOPS):
        match = re.search(rf"<<stop {number}>>\n(.*?)<<end>>", ran.stdout, re.DOTALL)
        trace = match.group(1) if match else ""
        frames = re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?([\w:?~<>]+)", trace, re.MULTILINE)
        for holds, what in ((frames and frames[-1] == outermost, f"does not end in {outermost}"),
                            (any(on_the_way in frame for frame in frames), f"misses {on_the_way}"),
                            (len(frames) < 10, "is long"),
                            ("Backtrace stopped" not in trace, "ends with a complaint"),
                            ("??" not in trace and "corrupt" not in trace, "has an unknown frame")):
            if not holds:
                failures.append(f"backtrace {number} {what}")
    if "exited normally" not in ran.stdout:
        failures.append("the program did not end normally")
    if failures:
        print("\n".join(failures), "", ran.stdout, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
