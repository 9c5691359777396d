#!/usr/bin/env python3
"""scripts/install-packages on several systems, and the SBOM of static programs.

Stubs in PATH take the place of each system's package manager.
"""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/install-packages"
TOOLS = ["awk", "bash", "cat", "dirname", "env", "grep", "sed", "uname"]
SYSTEMS = {  # for each system: ID and ID_LIKE of the os-release, the package manager, and the query for installed packages
    "Debian": ("debian", "", "apt-get", "dpkg-query"),
    "Ubuntu": ("ubuntu", "debian", "apt-get", "dpkg-query"),
    "Mint": ("linuxmint", "ubuntu debian", "apt-get", "dpkg-query"),
    "Fedora": ("fedora", "", "dnf", "rpm"),
    "Rocky": ("rocky", "rhel centos fedora", "dnf", "rpm"),
    "Arch": ("arch", "", "pacman", "pacman"),
    "Manjaro": ("manjaro", "arch", "pacman", "pacman"),
    "Tumbleweed": ("opensuse-tumbleweed", "opensuse suse", "zypper", "rpm"),
}
# The last word of the query is the package.
QUERIES = {
    "dpkg-query": 'for name; do :; done\ngrep -qx "$name" "$HERE/installed" && echo installed',
    "rpm": 'for name; do :; done\ngrep -qx "$name" "$HERE/installed"',
    "pacman": 'if [[ $1 == -T ]]; then grep -qx "$2" "$HERE/installed"; else echo "pacman $*" >>"$HERE/log"; fi',
}


class Packages(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        # The links to real programs have their own folder, so that no stub is written through a link.
        for name in ("stubs", "tools"):
            (self.folder / name).mkdir()
        for tool in TOOLS:
            (self.folder / "tools" / tool).symlink_to(shutil.which(tool))
        (self.folder / "installed").touch()
        self.stub("id", "echo 0")
        self.stub("sleep", 'echo "sleep $*" >>"$HERE/log"')

    def stub(self, name, text):
        with (self.folder / "stubs" / name).open("x") as file:  # never through a link
            file.write(f"#!{shutil.which('bash')}\n{text}\n")
        (self.folder / "stubs" / name).chmod(0o755)

    def make_system(self, system):
        name, like, manager, query = SYSTEMS[system]
        (self.folder / "os-release").write_text(f'PRETTY_NAME="{system} 1.0"\nID={name}\nID_LIKE="{like}"\n')
        self.stub(query, QUERIES[query])
        if manager != query:
            self.stub(manager, f'echo "{manager} $*" >>"$HERE/log"')

    def run_script(self, *groups):
        environment = {"PATH": f"{self.folder}/stubs:{self.folder}/tools", "HERE": str(self.folder),
                       "OS_RELEASE": str(self.folder / "os-release")}
        run = subprocess.run([SCRIPT, *groups], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        log = self.folder / "log"
        return run, log.read_text().splitlines() if log.exists() else []

    def test_each_system_installs_with_its_manager(self):
        one_of_each = {"apt-get": "libdw-dev", "dnf": "elfutils-devel", "pacman": "libelf", "zypper": "libdw-devel"}
        for system, (_, _, manager, _) in SYSTEMS.items():
            with self.subTest(system):
                self.doCleanups()
                self.setUp()
                self.make_system(system)
                run, log = self.run_script("build", "test")
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertIn(f"installing on {system} 1.0: ", run.stdout)
                command = log[-1].split()
                self.assertEqual(command[0], manager)
                self.assertTrue({"-y", "--noconfirm"} & set(command), command)
                self.assertIn(one_of_each[manager], command)
                self.assertNotIn("-", command)
                words = [word for word in command if not word.startswith("-")]
                self.assertEqual(len(words), len(set(words)))

    def test_only_missing_packages_are_installed(self):
        for system, package in ("Debian", "cmake"), ("Fedora", "gcc-c++"), ("Arch", "gcc"), ("Tumbleweed", "pugixml-devel"):
            with self.subTest(system):
                self.doCleanups()
                self.setUp()
                self.make_system(system)
                (self.folder / "installed").write_text(f"{package}\n")
                _, log = self.run_script("build")
                self.assertNotIn(package, log[-1].split())
                self.assertIn("git", log[-1].split())

    def test_nothing_is_done_if_all_are_installed(self):
        self.make_system("Debian")
        _, log = self.run_script("build")
        (self.folder / "installed").write_text("\n".join(log[-1].split()))
        (self.folder / "log").unlink()
        run, log = self.run_script("build")
        self.assertEqual((run.returncode, run.stdout, run.stderr, log), (0, "", "", []))

    def test_waits_for_another_apt_get(self):
        self.make_system("Debian")
        (self.folder / "stubs" / "apt-get").unlink()
        # The package lists are locked at the first two attempts.
        self.stub("apt-get", 'echo "apt-get $*" >>"$HERE/log"; [[ $1 != update ]] || [[ $(grep -c update "$HERE/log") -gt 2 ]] ||'
                  '{ echo "E: Could not get lock /var/lib/apt/lists/lock" >&2; exit 100; }')
        run, log = self.run_script("build")
        self.assertEqual((run.returncode, run.stderr), (0, "waiting until another apt-get has ended\n"))
        self.assertEqual(log[:5], ["apt-get update -qq", "sleep 2", "apt-get update -qq", "sleep 2", "apt-get update -qq"])
        self.assertIn(" -o DPkg::Lock::Timeout=600 ", log[-1])

    def test_apt_gets_own_message_is_shown(self):
        self.make_system("Debian")
        (self.folder / "stubs" / "apt-get").unlink()
        self.stub("apt-get", "echo 'E: no such mirror' >&2; exit 100")
        run, _ = self.run_script("build")
        self.assertEqual((run.returncode, run.stderr), (1, "install-packages: E: no such mirror\n"))

    def test_other_systems_are_named_with_the_libraries_that_are_needed(self):
        (self.folder / "os-release").write_text('PRETTY_NAME="Alpine Linux v3.20"\nID=alpine\n')
        run, _ = self.run_script("build")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertTrue(run.stderr.startswith("install-packages: can't install packages on Alpine Linux v3.20: "), run.stderr)
        for library in "CMake", "fmt", "Boost", "libdw", "pugixml", "libarchive", "libiberty":
            self.assertIn(library, run.stderr)
        (self.folder / "os-release").unlink()
        run, _ = self.run_script("build")
        self.assertIn(f"can't install packages on {os.uname().sysname}: ", run.stderr)

    def test_a_missing_manager_is_named(self):
        (self.folder / "os-release").write_text('PRETTY_NAME="Fedora Linux 41"\nID=fedora\n')
        run, _ = self.run_script("build")
        self.assertEqual(run.returncode, 1)
        self.assertIn("on Fedora Linux 41: there is no dnf. Install these by hand:\n", run.stderr)

    def test_groups_that_can_not_be_installed_are_explained(self):
        self.make_system("Fedora")
        for words, code, message in (
                ([], 2, "Installs missing packages"), (["biuld"], 2, "there is no group biuld; groups are build test "),
                (["check"], 1, "the packages of group check are known for Debian and Ubuntu only, not for Fedora 1.0")):
            run, log = self.run_script(*words)
            self.assertEqual((run.returncode, log), (code, []))
            self.assertIn(message, run.stderr)

    def test_without_root_and_sudo_the_command_is_printed(self):
        self.make_system("Debian")
        (self.folder / "stubs" / "id").unlink()
        self.stub("id", "echo 1000")
        run, log = self.run_script("build")
        self.assertEqual((run.returncode, log), (1, []))
        self.assertIn("not root, and there is no sudo; run as root: apt-get install ", run.stderr)
        self.stub("sudo", 'echo sudo >>"$HERE/log"; exec "$@"')
        run, log = self.run_script("build")
        self.assertEqual((run.returncode, log[:2]), (0, ["sudo", "apt-get update -qq"]))


class Sbom(unittest.TestCase):
    def test_lists_the_libraries_inside_a_static_program(self):
        program = Path(self.enterContext(tempfile.TemporaryDirectory())) / "program"
        Path(f"{program}.map").write_text("Archive member included to satisfy reference by file (symbol)\n\n"
                                          "/usr/lib/libarchive.a(archive_read.o)\n  main.o (archive_read_new)\n"
                                          "/lib/libz.a(inflate.o)\n\nLOAD /usr/lib/libacl.a\n")
        sbom = json.loads(subprocess.run([SCRIPT.parents[1] / "packaging/sbom", "--spdx", "1.2.3", "0", program], check=True,
                                         capture_output=True, text=True).stdout)
        names = {package["name"] for package in sbom["packages"]}
        self.assertLessEqual({"libarchive", "zlib", "fmt", "Boost"}, names)
        self.assertFalse({"libacl", "pugixml"} & names)  # the linker used no part of libacl
        self.assertEqual({relation["relationshipType"] for relation in sbom["relationships"]}, {"DESCRIBES", "STATIC_LINK"})


if __name__ == "__main__":
    unittest.main()
