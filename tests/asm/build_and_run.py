#!/usr/bin/env python3
"""Compiles a program and runs it.

    build_and_run.py --out FILE [--loader PROGRAM] [--cpu FLAG]... [--expect LINE]... [--run=WORD]... [--rounds N]
                     -- COMPILER WORD...

--out FILE        what is built (COMPILER WORD... -o FILE)
--loader PROGRAM  FILE is a shared object, which PROGRAM is given to load
--cpu FLAG        only compile where /proc/cpuinfo lacks this flag
--expect LINE     a whole line that the program must print
--run=WORD        a word put before the program, for example valgrind; several make a command
--rounds N        the argument of the program

Exits with 0 if all went well.
"""
import argparse
import pathlib
import subprocess
import sys


def cpu_has(flags):
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            return set(flags) <= set(line.split())
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--loader")
    for repeated in ("--cpu", "--expect", "--run"):
        parser.add_argument(repeated, action="append", default=[])
    parser.add_argument("--rounds", default="1000000")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()

    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    built = subprocess.run([*arguments.command, "-o", str(arguments.out)])
    if built.returncode != 0:
        return "it does not compile"
    if not cpu_has(arguments.cpu):
        print(f"compiled, not run: this processor lacks some of {' '.join(arguments.cpu)}")
        return 0
    program = [*arguments.run, *([arguments.loader] if arguments.loader else []), str(arguments.out), arguments.rounds]
    ran = subprocess.run(program, stdout=subprocess.PIPE, text=True)
    print(ran.stdout, end="")
    if ran.returncode != 0:
        return f"{' '.join(program)}: exit status {ran.returncode}"
    missing = [line for line in arguments.expect if line not in ran.stdout.splitlines()]
    return f"it did not print: {'; '.join(missing)}" if missing else 0


if __name__ == "__main__":
    sys.exit(main())
