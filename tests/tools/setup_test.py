#!/usr/bin/env python3
"""Tests tools/setup.sh against an imagined machine: commands and files that exist only for it, and a false apt."""
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "setup.sh"

# The tools that the script itself needs on the machine.
TOOLS = ["bash", "cat", "env", "mktemp", "rm", "sleep", "tail", "touch", "mkdir", "dirname"]

# Makes what it "installs" appear: apt-get -q -y ... install ... g++ makes the command g++.
APT = """#!/bin/bash
echo "$*" >> "$MACHINE/apt.log"
case " $* " in
  *" update "*) [ ! -e "$MACHINE/no_network" ] ;;
  *" install "*)
    [ ! -e "$MACHINE/no_network" ] || exit 100
    if [ -e "$MACHINE/fail_once" ]; then rm "$MACHINE/fail_once"; exit 100; fi
    while read -r package how; do
      case " $* " in *" $package "*) ;; *) continue ;; esac
      case $how in
        /*) mkdir -p "$MACHINE/root$(dirname "$how")"; touch "$MACHINE/root$how" ;;
        *) printf '#!/bin/bash\\necho 12\\n' > "$MACHINE/bin/$how"; chmod +x "$MACHINE/bin/$how" ;;
      esac
    done < "$MACHINE/packages" ;;
esac
"""


class Machine:
    def __init__(self, folder, *, user=0, sudo=False, kernel="6.1.0-13-amd64", os_release="ID=debian\n"):
        self.folder = pathlib.Path(folder)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        (self.folder / "root/etc").mkdir(parents=True)
        (self.folder / "root/etc/os-release").write_text(os_release)
        for tool in TOOLS:
            for place in os.environ["PATH"].split(":"):
                if (pathlib.Path(place) / tool).exists():
                    (self.bin / tool).symlink_to(pathlib.Path(place) / tool)
                    break
        self.command("id", f"echo {user}")
        self.command("uname", f'case $1 in -r) echo {kernel};; -s) echo Linux;; -m) echo x86_64;; esac')
        if sudo:
            self.command("sudo", 'shift; echo sudo >> "$MACHINE/apt.log"; "$@"')
        (self.bin / "apt-get").write_text(APT)
        (self.bin / "apt-get").chmod(0o755)
        rows = re.search(r"^table='(.*?)'$", SCRIPT.read_text(), re.S | re.M).group(1).split("\n")
        self.packages = {row.split("|")[2]: row.split("|")[3] for row in rows if row}
        (self.folder / "packages").write_text("".join(f"{p} {how}\n" for p, how in self.packages.items()))

    def command(self, name, body):
        (self.bin / name).write_text(f"#!/bin/bash\n{body}\n")
        (self.bin / name).chmod(0o755)

    def mark(self, name):
        (self.folder / name).touch()

    def run(self, *groups, **environment):
        """Returns (exit status, what it said)."""
        done = subprocess.run([str(self.bin / "bash"), str(SCRIPT), *groups], check=False, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={"PATH": str(self.bin), "MACHINE": str(self.folder), "TMPDIR": str(self.folder),
                                   "RAMIE_SETUP_ROOT": str(self.folder / "root"), "RAMIE_SETUP_PAUSE": "0",
                                   **environment})
        return done.returncode, done.stdout

    def apt(self):
        log = self.folder / "apt.log"
        return log.read_text() if log.exists() else ""


class Setup(unittest.TestCase):
    def machine(self, **how):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Machine(folder.name, **how)

    def test_installs_what_is_missing_and_then_calls_apt_no_more(self):
        machine = self.machine()
        status, said = machine.run("test")
        self.assertEqual(status, 0, said)
        self.assertIn("install", machine.apt())
        self.assertIn("clang-19", machine.apt())
        self.assertNotIn("golang-go", machine.apt())
        before = machine.apt()
        status, said = machine.run("test")
        self.assertEqual(status, 0, said)
        self.assertIn("everything is there", said)
        self.assertEqual(machine.apt(), before)

    def test_installs_only_what_is_missing(self):
        machine = self.machine()
        machine.command("g++", "echo 12")
        machine.run()
        self.assertNotRegex(machine.apt(), r"install.* g\+\+( |$)")
        self.assertRegex(machine.apt(), r"install.* cmake ")

    def test_without_the_group_test_nothing_is_installed_that_only_tests_want(self):
        machine = self.machine()
        machine.run("peers")
        for package in ("libgtest-dev", "libunwind-dev", "python3", "clang-19"):
            self.assertNotRegex(machine.apt(), rf" {package}( |$)")

    def test_what_is_optional_can_be_left_out(self):
        machine = self.machine()
        status, said = machine.run("test", RAMIE_NO_OPTIONAL="1")
        self.assertEqual(status, 0, said)
        self.assertIn("libunwind-dev", machine.apt())
        self.assertNotIn("chromium", machine.apt())
        self.assertNotIn("ccache", machine.apt())
        self.assertIn("everything is there", machine.run("test", RAMIE_NO_OPTIONAL="1")[1])

    def test_tries_a_second_time(self):
        machine = self.machine()
        machine.mark("fail_once")
        status, said = machine.run()
        self.assertEqual(status, 0, said)

    def test_uses_sudo_that_asks_nothing(self):
        machine = self.machine(user=1000, sudo=True)
        status, said = machine.run()
        self.assertEqual(status, 0, said)
        self.assertIn("sudo", machine.apt())

    def test_without_root_it_says_the_command_to_run(self):
        machine = self.machine(user=1000)
        status, said = machine.run()
        self.assertEqual(status, 1)
        self.assertRegex(said, r"sudo sh -c 'apt-get update && apt-get install -y .*g\+\+ cmake ninja-build")
        self.assertEqual(machine.apt(), "")

    def test_without_network_it_says_so(self):
        machine = self.machine()
        machine.mark("no_network")
        status, said = machine.run()
        self.assertEqual(status, 1)
        self.assertIn("could not reach its package sources", said)
        self.assertIn("apt-get install", said)
        # It ends soon: one attempt at what is required, none at the rest.
        self.assertEqual(machine.apt().count(" install "), 1)
        self.assertIn("Acquire::Retries=0", machine.apt())

    def test_without_network_but_complete_it_works(self):
        machine = self.machine()
        machine.run("test", "peers")
        machine.mark("no_network")
        self.assertEqual(machine.run("test", "peers")[0], 0)

    def test_a_missing_optional_package_stops_nothing(self):
        machine = self.machine()
        machine.run("build")
        machine.mark("no_network")
        status, said = machine.run("peers")
        self.assertEqual(status, 0, said)
        self.assertIn("could not install golang-go (optional)", said)

    def test_a_cargo_of_rustup_is_enough(self):
        machine = self.machine()
        machine.run("peers")
        self.assertIn("cargo-web", machine.apt())
        machine = self.machine()
        cargo = machine.folder / "home/.cargo/bin/cargo"
        cargo.parent.mkdir(parents=True)
        cargo.touch(mode=0o755)
        machine.run("peers", HOME=str(machine.folder / "home"))
        self.assertIn("libtbb-dev", machine.apt())
        self.assertNotIn("cargo-web", machine.apt())

    def test_an_old_kernel_is_warned_of_with_what_is_lost(self):
        status, said = self.machine(kernel="5.10.0-30-amd64").run()
        self.assertEqual(status, 0)
        self.assertIn("warning: the kernel is 5.10.0-30-amd64", said)
        self.assertIn("MADV_POPULATE_WRITE", said)
        self.assertNotIn("warning", self.machine(kernel="5.15.0").run()[1])
        self.assertNotIn("warning", self.machine(kernel="6.1").run()[1])

    def test_elsewhere_than_on_debian_it_names_the_packages(self):
        machine = self.machine(os_release="ID=fedora\n")
        status, said = machine.run()
        self.assertEqual(status, 1)
        self.assertIn("not Debian", said)
        self.assertIn("libhwloc-dev", said)
        self.assertEqual(machine.apt(), "")

    def test_debian_s_descendants_are_debian(self):
        self.assertEqual(self.machine(os_release="ID=ubuntu\nID_LIKE=debian\n").run()[0], 0)

    def test_an_old_compiler_is_refused(self):
        machine = self.machine()
        machine.run()
        machine.command("g++", "echo 10")
        status, said = machine.run()
        self.assertEqual(status, 1)
        self.assertIn("needs 12 or later", said)

    def test_it_can_be_told_to_install_nothing(self):
        machine = self.machine()
        status, said = machine.run(RAMIE_NO_INSTALL="1")
        self.assertEqual((status, machine.apt()), (1, ""))
        self.assertIn("To install: apt-get", said)

    def test_unknown_groups_are_refused(self):
        self.assertEqual(self.machine().run("everything")[0], 2)

    def test_the_script_is_executable(self):
        self.assertTrue(SCRIPT.stat().st_mode & stat.S_IXUSR)


if __name__ == "__main__":
    if sys.platform != "linux":
        sys.exit("Linux only")
    unittest.main(verbosity=2)
