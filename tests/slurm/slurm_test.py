#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""slurm_test.py PROGRAM [ROWS]: a batch on Slurm with three nodes on this machine.

Compares it with a run in one process, while one node is killed half-way and one job is cancelled and resumed. Run by
./test --all, which installs Slurm; skipped with a message where it is not installed. Not a part of ./test.
"""

import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "slurm-on-one-machine")
STEPS = ["--do", "rig {in} -o {out}.glb", "--do", "check {out}.glb", "--no-thumbnails"]


def results(folder):
    return len([f for f in glob.glob(f"{folder}/.sinew-batch/rows/*.json") if not f.endswith(".time.json")])


def run_on_slurm(program, rows):
    """Within slurm-on-one-machine: a node dies, and the job is cancelled and resumed."""
    nodes = os.environ["SLURM_FOLDER"]
    command = [program, "batch", "in/*.obj", *STEPS, "-o", "slurm", "--slurm", "--of", "12", "--quiet"]
    running = subprocess.Popen(command)
    while results("slurm") < rows // 4:
        time.sleep(0.2)
    with open(f"{nodes}/n1.pid", encoding="ascii") as file:
        os.kill(int(file.read()), signal.SIGKILL)
    print(f"killed a node at {results('slurm')} rows", flush=True)
    while results("slurm") < rows // 2:
        time.sleep(0.2)
    running.send_signal(signal.SIGINT)  # Cancels the job.
    print(f"cancelled with exit code {running.wait()} at {results('slurm')} rows", flush=True)
    stamps = {f: os.stat(f).st_mtime_ns for f in glob.glob("slurm/.sinew-batch/rows/*.json")}
    code = subprocess.run(command, check=False).returncode
    print(f"resumed: exit code {code}, {results('slurm')} rows", flush=True)
    repeated = sum(os.stat(f).st_mtime_ns != stamp for f, stamp in stamps.items())
    assert repeated == 0, f"{repeated} rows were done twice"


def main():
    program = os.path.abspath(sys.argv[1])
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    if os.environ.get("SLURM_FOLDER"):
        run_on_slurm(program, rows)
        return 0
    if not shutil.which("sbatch") or os.geteuid() != 0:
        print("skipped: needs root and the packages slurm-wlm and munge")
        return 0
    with tempfile.TemporaryDirectory(prefix="sinew-slurm-") as folder:
        os.chdir(folder)
        os.mkdir("in")
        for k in range(rows):
            subprocess.run([program, "make", "human", "-o", f"in/h{k:03}.obj", "--vertices", "500", "--vary", "0.5", "--seed", str(k),
                            "--quiet"], check=True, stderr=subprocess.DEVNULL)
        begin = time.monotonic()
        subprocess.run([SCRIPT, "nodes", os.path.abspath(__file__), program, str(rows)], check=True)
        middle = time.monotonic()
        subprocess.run([program, "batch", "in/*.obj", *STEPS, "-o", "one", "--processes", "1", "--quiet"], check=False)
        print(f"Slurm {middle - begin:.0f} s, one process {time.monotonic() - middle:.0f} s")
        different = [f for f in sorted(os.listdir("one")) if os.path.isfile(f"one/{f}") and f != "timing.csv"
                     and (not os.path.isfile(f"slurm/{f}") or open(f"one/{f}", "rb").read() != open(f"slurm/{f}", "rb").read())]
        with open("one/results.jsonl", encoding="utf-8") as file:
            status = [json.loads(line)["status"] for line in file]
        print(f"{len(status)} rows:", {word: status.count(word) for word in sorted(set(status))})
        assert len(status) == rows and not different, different
        print("all rows done once, equal bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
