#!/usr/bin/env python3
"""Checks who includes whom, and that no file has outgrown its reader.

    check_layers.py [ROOT]

A layer is a folder with the same name under include/ramie, src and tests. What it may include stands in LAYERS below,
and nowhere else. Rules:

  layer     a layer includes only itself and the layers that the table names
  private   a header under src/<layer> belongs to that layer's sources alone; a public header never includes one, for
            it is not installed; programs (apps, bench, examples, tools) use what is under include/ramie
  room      nothing includes apps, bench, examples, tests or tools (each may include itself; a test includes anything;
            apps has the ramie command, which is made of the suites in bench)
  path      includes name existing files plainly: <ramie/layer/file.hpp>, no macro but the one of another provider
  length    a file has at most 600 lines

Prints one line a finding, `file:line: rule: what is wrong and what would be right`, and exits with 1 if there is any.
Python 3.9, no packages.
"""
import pathlib
import re
import sys

MAX_LINES = 600

BELOW_SCHEDULER = {"base", "context", "stack", "queue", "trace", "topology"}

# layer -> the layers it may include, besides itself.
LAYERS = {
    "base": set(),
    "context": {"base"},
    "stack": {"base"},
    "queue": {"base"},
    "trace": {"base"},
    "topology": {"base"},
    "scheduler": BELOW_SCHEDULER,
    "sync": {"base", "scheduler"},
    "parallel": {"base", "scheduler", "sync"},
    "job": {"base", "scheduler", "sync", "queue"},
    "io": {"base", "scheduler", "sync"},
    "handoff": {"base", "topology"},
    # The C ABI wraps whatever there is to wrap.
    "c": BELOW_SCHEDULER | {"scheduler", "sync", "parallel", "job", "io", "handoff"},
}

# room -> the other rooms it may include. Rooms hold programs; no layer includes one.
ROOMS = {
    "apps": {"bench"},
    "bench": set(),
    "examples": set(),
    "tools": set(),
    "tests": {"apps", "bench", "examples", "tools"},
}

# Where an include may be a macro: the program that defines it knows the file, this tree does not.
CHOSEN_BY_THE_BUILD = {("include/ramie/base/provider.hpp", "RAMIE_PROVIDER_HEADER")}

CODE = {".hpp", ".h", ".cpp", ".cc", ".c", ".S", ".ipp", ".inc"}
PROSE_FREE = CODE | {".py", ".sh", ".cmake", ".go", ".rs"}
SKIPPED = {".git", "build", "out", "__pycache__", ".cache", "target", "vendor"}

INCLUDE = re.compile(r'^\s*#\s*(?:include|include_next|import)\b\s*(.*)$')
NAMED = re.compile(r'^(?:<([^>]+)>|"([^"]+)")')


class Place:
    """Where a file stands: a public or private part of a layer, a room, or the top of the public headers."""

    def __init__(self, path):
        parts = path.parts
        self.room = self.layer = None
        self.public = parts[:2] == ("include", "ramie")
        self.private = parts[0] == "src"
        if self.public:
            self.layer = parts[2] if len(parts) > 3 else "ramie"
        elif self.private:
            self.layer = parts[1] if len(parts) > 2 else "ramie"
        elif parts[0] in ROOMS:
            self.room = parts[0]

    @property
    def is_layer(self):
        return self.layer is not None


def includes_of(text):
    """Yields (line, argument of the #include), outside of comments."""
    in_comment = False
    for number, line in enumerate(text.splitlines(), 1):
        if in_comment:
            end = line.find("*/")
            if end < 0:
                continue
            line = line[end + 2:]
            in_comment = False
        line = re.sub(r"/\*.*?\*/", " ", line)
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1).strip()
            continue
        # A // before the /* hides it.
        code = line.split("//", 1)[0]
        if "/*" in code and not re.search(r'"[^"]*/\*', code):
            in_comment = True


class Checker:
    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.findings = []

    def report(self, path, line, rule, text):
        self.findings.append((str(path), line, f"{path}:{line}: {rule}: {text}"))

    def files(self):
        for path in sorted(self.root.rglob("*")):
            relative = path.relative_to(self.root)
            if SKIPPED.isdisjoint(relative.parts) and path.suffix in PROSE_FREE and path.is_file():
                yield relative

    def run(self):
        for path in self.files():
            text = (self.root / path).read_text(encoding="utf-8", errors="replace")
            lines = text.count("\n") + (not text.endswith("\n") and text != "")
            if lines > MAX_LINES:
                self.report(path, lines, "length", f"{lines} lines, at most {MAX_LINES}: split it, one idea a file")
            if path.suffix not in CODE:
                continue
            place = Place(path)
            if place.is_layer and place.layer != "ramie" and place.layer not in LAYERS:
                self.report(path, 1, "layer", f"`{place.layer}` is no layer: add it, with what it may include, to "
                                              "LAYERS in tools/check_layers.py")
                continue
            for line, argument in includes_of(text):
                self.check(path, place, line, argument)
        return [text for _, _, text in sorted(self.findings)]

    def resolve(self, path, name, quoted):
        """The included file relative to the root, or None for one that is not of this tree."""
        # What a compiler would search, and a little more: the roots that CMake gives to one room or another.
        folders = [self.root / "include", self.root / "src", self.root, *(self.root / room for room in ROOMS)]
        if quoted:
            folders.insert(0, self.root / path.parent)
        for folder in folders:
            target = (folder / name).resolve()
            if target.is_file() and self.root in target.parents:
                return target.relative_to(self.root)
        return None

    def check(self, path, place, line, argument):
        if (path.as_posix(), argument) in CHOSEN_BY_THE_BUILD:
            return
        named = NAMED.match(argument)
        if not named:
            self.report(path, line, "path", f"#include {argument}: name the file, so that this check can see it")
            return
        name, quoted = (named.group(1), False) if named.group(1) else (named.group(2), True)
        shown = f"#include {named.group(0)}"
        target = self.resolve(path, name, quoted)
        if target is None:
            if place.room == "tests":  # may ask __has_include, or include what the build makes
                return
            if name.startswith("ramie/"):
                self.check_missing(path, place, line, shown, name)
            elif quoted and (place.is_layer or ".." in name):
                self.report(path, line, "path", f"{shown}: no such file in this tree; system headers go in <>")
            return
        if path == target:
            return
        self.check_target(path, place, line, shown, target)

    def check_missing(self, path, place, line, shown, name):
        # The direction is checked even where the file is missing, so that the reason given is the deeper one.
        layer = pathlib.PurePosixPath(name).parts[1]
        if place.is_layer and layer in LAYERS and not self.may(place.layer, layer):
            self.report(path, line, "layer", self.direction(place.layer, layer, shown))
        else:
            self.report(path, line, "path", f"{shown}: no such file under include/")

    @staticmethod
    def may(source, target):
        if source in (target, "ramie"):
            return True
        return target in LAYERS.get(source, set())

    @staticmethod
    def direction(source, target, shown):
        if target == "ramie":
            return f"{shown}: layer `{source}` must not include the umbrella header; include what you use"
        allowed = ", ".join(sorted(LAYERS[source])) or "nothing"
        return f"{shown}: layer `{source}` must not include `{target}`; besides itself it may include: {allowed}"

    def check_target(self, path, place, line, shown, target):
        into = Place(target)
        if into.room:
            if place.room == into.room or into.room in ROOMS.get(place.room, set()):
                return
            who = f"`{place.layer}`" if place.is_layer else f"`{path.parts[0]}`"
            self.report(path, line, "room", f"{shown}: {who} must not include from `{into.room}`")
            return
        if not into.is_layer or place.room == "tests":
            return
        if into.private and (place.public or not place.is_layer):
            why = ("a public header must not include a private one: it is not installed" if place.public else
                   "programs use public headers only (include/ramie)")
            self.report(path, line, "private", f"{shown} is {target}: {why}")
        elif into.private and into.layer != place.layer:
            self.report(path, line, "private", f"{shown} is {target}, private to layer `{into.layer}`; what "
                                               f"`{place.layer}` needs of it belongs under include/ramie/{into.layer}")
        elif place.is_layer and not self.may(place.layer, into.layer):
            self.report(path, line, "layer", self.direction(place.layer, into.layer, shown))


def main(arguments):
    if len(arguments) > 1 or arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    if not (root / "include" / "ramie").is_dir():
        print(f"{root}: no include/ramie here; give the root of the tree", file=sys.stderr)
        return 2
    findings = Checker(root).run()
    for finding in findings:
        print(finding)
    print(f"check_layers: {len(findings)} findings" if findings else "check_layers: fine", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
