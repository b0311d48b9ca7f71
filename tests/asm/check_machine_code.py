#!/usr/bin/env python3
"""Compiles fragments.cpp and x86_64.S and checks that the machine code is what the comments in the sources promise.

    check_machine_code.py --work FOLDER --source FOLDER --objdump PROGRAM -- COMPILER FLAG...
"""
import argparse
import pathlib
import re
import subprocess
import sys

FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\s+(.+?)\s*(?:#.*)?$")


def functions(objdump, file):
    """name -> its instructions as text, without addresses."""
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", str(file)], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    found, name = {}, None
    for line in text.splitlines():
        if heading := FUNCTION.match(line):
            name = heading.group(1)
            found[name] = []
        elif name and (instruction := INSTRUCTION.match(line)):
            found[name].append(re.sub(r"\s+", " ", instruction.group(1)))
    return found


def is_indirect_jump(instruction):
    return re.match(r"(notrack |bnd )?jmpq? \*", instruction) is not None


class Checker:
    def __init__(self, code):
        self.code = code
        self.failures = []

    def expect(self, holds, name, what):
        if not holds:
            listing = "\n    ".join(self.code.get(name, ["(absent)"]))
            self.failures.append(f"{name}: {what}\n    {listing}")

    def switch(self, name):
        """An inlined switch: no call, no locked instruction, one indirect jump, pushes only in the prologue."""
        lines = self.code.get(name, [])
        mnemonics = [line.split()[0] for line in lines]
        jumps = [i for i, line in enumerate(lines) if is_indirect_jump(line)]
        self.expect(len(jumps) == 1, name, f"{len(jumps)} indirect jumps instead of 1")
        # xchg locks the bus only with memory; between registers it is padding.
        locked = [line for line in lines if line.startswith("lock") or (line.startswith("xchg") and "(" in line)]
        self.expect(not locked and not [m for m in mnemonics if m.startswith("call")], name,
                    "a call or a locked instruction")
        self.expect(not [m for m in mnemonics if m.startswith("syscall")], name, "a system call")
        if len(jumps) != 1:
            return 0
        # From the instruction that computes where to continue to the jump.
        starts = [i for i, line in enumerate(lines) if i < jumps[0] and re.match(r"lea .*\(%rip\),%rax", line)]
        self.expect(len(starts) == 1, name, "cannot find where the switch begins")
        if starts:
            between = mnemonics[starts[0]:jumps[0]]
            self.expect(not [m for m in between if m.startswith(("push", "pop", "ret", "j"))], name,
                        "a push, pop, return or jump inside the switch")
            self.expect(len(between) == 8, name, f"{len(between)} instructions instead of 8 before the jump")
            pushes = [i for i, m in enumerate(mnemonics) if m.startswith("push")]
            self.expect(all(i < starts[0] for i in pushes) and len(pushes) <= 6, name, "a push outside the prologue")
        self.expect(jumps[0] + 1 < len(lines) and mnemonics[jumps[0] + 1] == "nop", name, "no nop after the jump")
        return jumps[0]

    def reads_of_slot(self, name):
        return [i for i, line in enumerate(self.code.get(name, [])) if "%fs:" in line]

    def check_fragments(self):
        self.switch("fragment_switch_to")
        self.switch("fragment_switch_execution")
        name = "fragment_slot_twice"
        jump = self.switch(name)
        reads = self.reads_of_slot(name)
        self.expect(len(reads) == 2, name, f"{len(reads)} reads of fs instead of 2")
        self.expect([i < jump for i in reads] == [True, False], name, "not one read before and one after the switch")
        name = "fragment_slot_once_more"
        self.expect(len(self.reads_of_slot(name)) == 2, name, "the two reads were merged")

    def check_assembly(self):
        for name in ("ramie_swap_context", "ramie_set_context"):
            lines = self.code.get(name, [])
            self.expect(not [line for line in lines if line.startswith("ret")], name, "leaves with a return")
            self.expect(sum(map(is_indirect_jump, lines)) == 1, name, "not exactly one indirect jump")
            self.expect(not [line for line in lines if line.startswith(("call", "push", "lock", "syscall"))], name,
                        "a call, push, locked instruction or system call")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("compiler", nargs="+")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    failures = []
    for source, check in (("tests/asm/fragments.cpp", Checker.check_fragments),
                          ("src/context/x86_64.S", Checker.check_assembly)):
        made = arguments.work / (pathlib.Path(source).stem + ".o")
        subprocess.run([*arguments.compiler, f"-I{arguments.source / 'include'}", "-c", str(arguments.source / source),
                        "-o", str(made)], check=True)
        checker = Checker(functions(arguments.objdump, made))
        check(checker)
        failures += checker.failures
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
