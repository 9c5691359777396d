#!/usr/bin/env python3
"""Tests of scripts/convert-array.sbatch with Debian's Slurm, which is started on this machine during the test.

The directory with the programs is in the environment variable PROGRAMS. If Slurm can't be started, the exit code is 77.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CONVERT = Path(os.environ["PROGRAMS"]).resolve() / "fxt-convert"
CONVERT_ALL = REPOSITORY / "scripts" / "convert-all"
ARRAY = REPOSITORY / "scripts" / "convert-array.sbatch"
CALC = REPOSITORY / "tests" / "uftrace" / "recordings" / "calc"
SKIPPED = 77

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm:
    """munged, slurmctld and slurmd, with all their files in one folder."""

    def __init__(self, folder):
        self.folder = folder
        self.daemons = []
        (folder / "bin").mkdir()
        (folder / "bin/fxt-convert-all").symlink_to(CONVERT_ALL)
        self.environment = os.environ | {"SLURM_CONF": f"{folder}/slurm.conf", "FXT_CONVERT": str(CONVERT),
                                         "PATH": f"{folder}/bin:{os.environ['PATH']}"}

    def start(self):
        """Starts Slurm. Returns the reason if it can't run, or nothing."""
        os.chmod(self.folder, 0o755)  # munged requires this
        for name in ["state", "spool"]:
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().partition(".")[0], user=subprocess.check_output(["id", "-un"], text=True).strip(),
            folder=self.folder, ports=free_ports(2)))
        try:
            self.run_daemon("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                            f"--pid-file={self.folder}/munged.pid", f"--seed-file={self.folder}/munged.seed",
                            f"--log-file={self.folder}/munged.own-log")
            self.wait_for((self.folder / "munge.socket").exists)
            self.run_daemon("slurmctld", "-D")
            self.run_daemon("slurmd", "-D")
            self.wait_for(lambda: "idle" in self.ask("sinfo", "--noheader", "--format=%T"))
        except (OSError, TimeoutError) as error:
            logs = [f"{log.name}: {log.read_text(errors='replace')}" for log in self.folder.glob("*.log")]
            return "\n".join([str(error), *logs])
        return None

    def run_daemon(self, name, *arguments):
        with (self.folder / f"{name}.log").open("wb") as log:
            self.daemons.append(subprocess.Popen([f"/usr/sbin/{name}", *arguments], stdin=subprocess.DEVNULL, stdout=log,
                                                 stderr=log, env=self.environment))

    def wait_for(self, condition):
        end = time.monotonic() + 30
        while not condition():
            if time.monotonic() > end or any(daemon.poll() is not None for daemon in self.daemons):
                raise TimeoutError("it does not run")
            time.sleep(0.1)

    def ask(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False).stdout

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            daemon.wait()


class ConvertArray(unittest.TestCase):
    slurm = None

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="array 'of' ")))
        self.found = self.folder / "recordings"
        self.out = self.folder / "out"
        self.found.mkdir()
        for number in range(8):
            shutil.copytree(CALC, self.found / f"run {number}")

    def submit(self, *options, script=ARRAY, directory=REPOSITORY, code=0):
        """Submits the script and waits for all tasks. Returns the output of each."""
        for said in self.folder.glob("said-*"):
            said.unlink()
        process = subprocess.run(
            ["sbatch", "--wait", f"--output={self.folder}/said-%a", *options, script, self.found, self.out],
            env=self.slurm.environment, cwd=directory, capture_output=True, text=True, check=False, timeout=120)
        said = [path.read_text() for path in sorted(self.folder.glob("said-*"))]
        self.assertEqual(process.returncode, code, (process, said))
        return said

    def table(self, code=0):
        process = subprocess.run([CONVERT_ALL, "--table", self.found, self.out], capture_output=True, text=True, check=False)
        self.assertEqual(process.returncode, code, process)
        return process.stdout.splitlines()[1:-2]

    def jobs(self):
        """Recordings whose conversion ended, in any task."""
        lines = [line for log in self.out.glob("*.joblog") for line in log.read_text().splitlines()[1:]]
        return sorted(line.partition("/recordings/")[2][:5] for line in lines)

    def use_converter(self, script):
        converter = self.folder / "converter"
        converter.write_text(f'#!/bin/sh\nconvert={CONVERT}\nfolder=$(dirname "$0")\n{script}\n')
        converter.chmod(0o755)
        self.slurm.environment["FXT_CONVERT"] = str(converter)
        self.addCleanup(self.slurm.environment.update, FXT_CONVERT=str(CONVERT))

    def test_each_recording_is_converted_once(self):
        said = self.submit("--array=3-7:2", "--cpus-per-task=2")
        self.assertEqual([len(one.splitlines()) - 3 for one in said], [3, 3, 2])
        self.assertEqual(self.jobs(), [f"run {number}" for number in range(8)])
        self.assertEqual(len(self.table()), 8)

    def test_there_may_be_more_tasks_than_recordings(self):
        self.submit("--array=1-10")
        self.assertEqual(len(self.table()), 8)

    def test_failed_recordings_are_converted_again(self):
        (self.found / "bad").write_bytes(b"\x7fTRACE of another kind")
        said = self.submit("--array=0-3", code=1)
        self.assertEqual([text.count("bad: ") for text in said].count(1), 1)
        self.assertEqual(len([line for line in self.table(code=1) if "not converted" not in line]), 8)
        # If the same command is run again, it converts the recordings that failed.
        (self.found / "bad").unlink()
        shutil.copytree(CALC, self.found / "bad")
        self.submit("--array=0-3")
        self.assertEqual(len(self.table()), 9)
        self.assertEqual(len(self.jobs()), 8 + 2)

    def test_a_cancelled_array_can_be_continued(self):
        self.use_converter('echo "$*" >>"$folder/begun"; [ -e "$folder/fast" ] || sleep 0.5; exec "$convert" "$@"')
        waits = subprocess.Popen(
            ["sbatch", "--wait", "--array=1-2", f"--output={self.folder}/cancelled-%a", ARRAY, self.found, self.out],
            env=self.slurm.environment, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.slurm.wait_for(lambda: len(self.jobs()) >= 2)
        self.slurm.ask("scancel", "--state=RUNNING", f"--user={os.getuid()}")
        waits.communicate(timeout=60)
        converted = len([line for line in self.table(code=1) if "not converted" not in line])
        self.assertIn(converted, range(2, 8))
        (self.folder / "fast").touch()
        (self.folder / "begun").unlink()
        self.submit("--array=1-2")
        self.assertEqual(len(self.table()), 8)
        self.assertLessEqual(len((self.folder / "begun").read_text().splitlines()), 8 - converted + 2)

    def test_the_programs_must_be_in_path(self):
        self.addCleanup(self.slurm.environment.update, PATH=self.slurm.environment["PATH"])
        self.slurm.environment["PATH"] = "/usr/bin:/bin"
        said = self.submit("--array=1-2", directory=self.folder, code=2)
        self.assertIn("convert-array: fxt-convert-all is not in PATH; add the folder of the programs to PATH, and submit again", said[0])

    def test_it_must_be_started_by_slurm(self):
        process = subprocess.run([ARRAY, self.found, self.out], capture_output=True, text=True, check=False)
        self.assertEqual(process.returncode, 2)
        self.assertIn("sbatch --array=1-50 convert-array.sbatch ", process.stderr)
        asked = subprocess.run(["bash", ARRAY, "--help"], capture_output=True, text=True, check=True, timeout=60)
        reason = "convert-array: not started by Slurm; use sbatch --array=1-N, or fxt-convert-all on one machine\n"
        self.assertEqual((reason + asked.stdout, asked.stderr), (process.stderr, ""))


def main():
    with tempfile.TemporaryDirectory(prefix="slurm.") as folder:
        ConvertArray.slurm = Slurm(Path(folder))
        try:
            problem = ConvertArray.slurm.start()
            if problem:
                print("SKIPPED: SLURM DOES NOT START HERE, scripts/convert-array.sbatch IS NOT TESTED:", problem,
                      file=sys.stderr)
                return SKIPPED
            return 0 if unittest.main(exit=False).result.wasSuccessful() else 1
        finally:
            ConvertArray.slurm.stop()


if __name__ == "__main__":
    sys.exit(main())
