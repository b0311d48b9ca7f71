#!/usr/bin/env python3
"""Compares the functions of the C headers with the version script, and with a shared library.

    symbols.py ROOT              every function declared in include/ramie/c/*.h is in src/c/ramie.map, and vice versa
    symbols.py ROOT LIBRARY.so   and the library exports each with the version of its node, and C++ without one

Prints one line a finding and exits with 1 if there is any. Python 3.9, no packages; readelf for the second form.
"""
import pathlib
import re
import subprocess
import sys

# In the map before the header that declares them is in the tree.
POOL = re.compile(r"(thread_pool|future)_\w+")


def declared(text):
    """The functions that a C header declares."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r"^\s*#(?:\\\n|[^\n])*", "", text, flags=re.M)
    text = re.sub(r'extern\s+"C"\s*\{', " ", text)
    text = re.sub(r"\{[^{}]*\}", " ", text)  # of structs and enums
    found = set()
    for statement in text.split(";"):
        match = re.match(r"\s*(?!typedef\b)[A-Za-z_][\w\s*]*?\b(\w+)\s*\(", statement)
        if match:
            found.add(match.group(1))
    return found


def nodes(text):
    """Function -> version of a version script."""
    text = re.sub(r"#[^\n]*", "", text)
    found = {}
    for version, body in re.findall(r"(\w[\w.]*)\s*\{(.*?)\}[^;]*;", text, flags=re.S):
        for name in re.findall(r"(\w+)\s*;", body.replace("global:", "")):
            if name in found:
                raise SystemExit(f"{name} is in the map twice")
            found[name] = version
    return found


def exported(library):
    """Name -> version ("" without one) of the dynamic symbols that a library defines."""
    listing = subprocess.run(["readelf", "--dyn-syms", "--wide", str(library)], check=True, capture_output=True,
                             text=True).stdout
    found = {}
    for line in listing.splitlines():
        words = line.split()
        if len(words) < 8 or not words[0].rstrip(":").isdigit() or words[6] == "UND":
            continue
        name, _, version = words[7].partition("@")
        found[name] = version.lstrip("@")
    return found


def differences(headers, of_map, library):
    for name in sorted(headers.keys() - of_map.keys()):
        yield f"{name} is declared in {headers[name]} and not in the map"
    pool_is_here = any(POOL.fullmatch(name) for name in headers)
    for name in sorted(of_map.keys() - headers.keys()):
        if pool_is_here or not POOL.fullmatch(name):
            yield f"{name} is in the map, and no header declares it"
    if library is None:
        return
    for name in sorted(headers):
        if library.get(name) != of_map.get(name):
            yield f"{name} is exported as {library.get(name)!r}, the map says {of_map.get(name)!r}"
    versions = set(of_map.values())
    cxx = {name: version for name, version in library.items() if name.startswith("_Z")}
    if not any("5ramie7runtime3run" in name for name in cxx):
        yield "ramie::runtime::run is not exported"
    for name, version in sorted(library.items()):
        if version and name not in headers and name not in versions:
            yield f"{name} has the version {version}, and is no function of C"


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__)
        return 2
    root = pathlib.Path(arguments[0])
    headers = {}
    for path in sorted((root / "include/ramie/c").glob("*.h")):
        for name in declared(path.read_text(encoding="utf-8")):
            headers[name] = path.name
    of_map = nodes((root / "src/c/ramie.map").read_text(encoding="utf-8"))
    library = exported(arguments[1]) if len(arguments) == 2 else None
    if not {"ramie_run", "ramie_queue_pop"} <= headers.keys():
        print("the headers were not understood: ramie_run or ramie_queue_pop is missing")
        return 1
    findings = list(differences(headers, of_map, library))
    for finding in findings:
        print(finding)
    print(f"{len(headers)} functions in the headers, {len(of_map)} in the map, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
