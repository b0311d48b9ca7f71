#!/usr/bin/env python3
"""The summary of ./test for a build folder's tests. A shard (tests/support/run_cases.py) counts as the cases in it.

    test_report.py count BUILD               prints three numbers: passed, failed, skipped
    test_report.py names BUILD               prints the name of each test and case, sorted, to compare two trees by
    test_report.py slowest SINCE STEPS BUILD...
                                             prints the ten slowest steps: single compilations, cases, and the lines
                                             `seconds<tab>name` of the file STEPS. SINCE: in seconds since 1970; what a
                                             build folder had before does not count
"""
import pathlib
import re
import sys
import xml.etree.ElementTree


def tests_of(build):
    """(name, result, seconds, cases) for each test of ctest; cases is None, or (result, seconds, name) each."""
    report = build / "junit.xml"
    if not report.exists():
        return
    for test in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
        name, status = test.get("name"), test.get("status")
        result = {"run": "passed", "fail": "failed", "notrun": "skipped", "disabled": "skipped"}.get(status, "failed")
        lines = build / "cases" / f"{name}.tsv"
        cases = None
        if lines.exists() and result != "skipped":
            cases = [(found, float(seconds), case) for found, seconds, case in
                     (line.split("\t", 2) for line in lines.read_text().splitlines())]
            if result == "failed" and not any(found == "failed" for found, _, _ in cases):
                cases.append(("failed", 0.0, f"{name}: its cases are not all there"))
        yield name, result, float(test.get("time") or 0), cases


def count(build):
    numbers = {"passed": 0, "failed": 0, "skipped": 0}
    for _, result, _, cases in tests_of(build):
        for found in [result] if cases is None else [found for found, _, _ in cases]:
            numbers[found] += 1
    print(*numbers.values())


def names(build):
    found = set()
    for name, _, _, cases in tests_of(build):
        found.update([name] if cases is None else [case for _, _, case in cases])
    print("\n".join(sorted(found)))


def slowest(since, steps, builds):
    found = []
    if steps.exists():
        for line in steps.read_text().splitlines():
            seconds, name = line.split("\t", 1)
            found.append((float(seconds), name))
    for build in builds:
        for _, _, _, cases in (test for test in tests_of(build) if test[3]):
            found += [(seconds, f"{build.name}: {case}") for _, seconds, case in cases]
        found += [(seconds, f"{build.name}: {name}") for name, _, seconds, cases in tests_of(build) if cases is None]
        log = build / ".ninja_log"
        for line in log.read_text().splitlines() if log.exists() else []:
            fields = line.split("\t")
            if len(fields) != 5 or int(fields[2]) < since * 1_000_000_000:
                continue
            output = re.sub(r"CMakeFiles/[^/]*\.dir/", "", fields[3])
            found.append(((int(fields[1]) - int(fields[0])) / 1000, f"{build.name}: build {output}"))
    for seconds, name in sorted(set(found), reverse=True)[:10]:
        print(f"{seconds:8.1f} s  {name}")


def main(words):
    if len(words) == 2 and words[0] == "count":
        count(pathlib.Path(words[1]))
    elif len(words) == 2 and words[0] == "names":
        names(pathlib.Path(words[1]))
    elif len(words) >= 3 and words[0] == "slowest":
        slowest(int(words[1]), pathlib.Path(words[2]), [pathlib.Path(word) for word in words[3:]])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
