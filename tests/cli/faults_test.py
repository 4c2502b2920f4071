# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""Every call that changes files fails once, by an error or by a kill: what remains is the old set of files or the new."""

import json
import os
import shutil
import subprocess
import sys
import unittest

import command_case
from command_case import CommandCase

LIBRARY = ""


def gltf_set(folder, name):
    """A document with its buffers, whatever their names are."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        document = json.load(file)
    contents = []
    for buffer in document.get("buffers", []):
        with open(os.path.join(folder, buffer.pop("uri")), "rb") as file:
            contents.append(file.read())
    return json.dumps(document, sort_keys=True), contents


def obj_set(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        lines = file.read().split("\n")
    libraries = []
    for line in lines:
        if line.startswith("mtllib "):
            with open(os.path.join(folder, line[7:]), encoding="utf-8") as file:
                libraries.append(file.read())
    return [line for line in lines if not line.startswith("mtllib ")], libraries


def bytes_of(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


class Faults(CommandCase):
    COMMAND = "faults"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prepare("make", "bar", "-o", "old.glb", "--layers", "5")
        cls.prepare("make", "bar", "-o", "new.glb", "--layers", "8")
        cls.prepare("make", "cylinder", "-o", "limb.glb", "--joint-count", "3", "--layers", "12")
        cls.prepare("make", "human", "--clothes", "-o", "dressed.glb", "--vertices", "2000")

    def run_at(self, folder, at, how, words):
        log = os.path.join(self.folder, "hit")
        if os.path.exists(log):
            os.unlink(log)
        environment = {**os.environ, "LD_PRELOAD": LIBRARY, "SINEW_FAIL_AT": str(at), "SINEW_FAIL_HOW": how, "SINEW_FAIL_LOG": log,
                       "XDG_CACHE_HOME": os.path.join(self.folder, "cache")}
        result = subprocess.run([command_case.PROGRAM, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=120,
                                check=False)
        return result, os.path.exists(log)

    def every_fault(self, make_old, words, state, again=True):
        """`make_old` fills a folder; `words` change it; `state` reads what a user would read there; `again` runs a second time."""
        base = os.path.join(self.folder, "base")
        shutil.rmtree(base, ignore_errors=True)
        os.mkdir(base)
        make_old(base)
        old = state(base)
        done = os.path.join(self.folder, "done")
        shutil.rmtree(done, ignore_errors=True)
        shutil.copytree(base, done)
        self.assertIn(self.run_at(done, 0, "error", words)[0].returncode, (0, 1))
        new = state(done)
        self.assertNotEqual(old, new)
        for how in ("error", "kill"):
            for at in range(1, 400):
                work = os.path.join(self.folder, "work")
                shutil.rmtree(work, ignore_errors=True)
                shutil.copytree(base, work)
                result, hit = self.run_at(work, at, how, words)
                if not hit:
                    break
                now = state(work)
                self.assertTrue(now in (old, new), f"{words} with call {at} ended by {how}: a mixture")
                if how == "error":
                    self.assertIn(result.returncode, (0, 1, 2), result.stderr)
                    self.assertEqual(now == new, result.returncode != 2, f"call {at}: {result.stderr}")
                if not again:
                    continue
                # The next run clears what a killed one left, and ends well.
                after = self.run_at(work, 0, "error", words)[0]
                self.assertIn(after.returncode, (0, 1), after.stderr)
                self.assertEqual(state(work), new)
                if how == "kill":
                    self.assertEqual([name for name in os.listdir(work) if ".sinew-" in name], [])
            self.assertGreater(at, 4, "hardly a call was counted")

    def test_a_document_and_its_buffer(self):
        def make(folder):
            subprocess.run([command_case.PROGRAM, "convert", "../old.glb", "-o", "x.gltf", "--quiet"], cwd=folder, check=True)
        self.every_fault(make, ("convert", "../new.glb", "-o", "x.gltf", "--force", "--quiet"), lambda folder: gltf_set(folder, "x.gltf"))

    def test_a_mesh_and_its_materials(self):
        def make(folder):
            subprocess.run([command_case.PROGRAM, "convert", "../dressed.glb", "-o", "x.obj", "--quiet"], cwd=folder, check=True)
            with open(os.path.join(folder, "x.mtl"), "a", encoding="utf-8") as file:
                file.write("# older\n")
        self.every_fault(make, ("convert", "../dressed.glb", "-o", "x.obj", "--force", "--quiet", "--unit", "cm"), lambda folder: obj_set(folder, "x.obj"))

    def test_a_rig(self):
        def make(folder):
            subprocess.run([command_case.PROGRAM, "convert", "../old.glb", "-o", "x.gltf", "--quiet"], cwd=folder, check=True)
        self.every_fault(make, ("rig", "../limb.glb", "--replace", "-o", "x.gltf", "--force", "--quiet"), lambda folder: gltf_set(folder, "x.gltf"),
                         again=False)

    def test_several_outputs_of_a_transfer_are_each_old_or_new(self):
        def make(folder):
            for name in ("a", "b"):
                shutil.copy(os.path.join(self.folder, "limb.glb"), os.path.join(folder, f"{name}.glb"))
                with open(os.path.join(folder, f"{name}_transfer.glb"), "wb") as file:
                    file.write(b"old")
        base = os.path.join(self.folder, "several")
        os.mkdir(base)
        make(base)
        words = ("transfer", "../limb.glb", "a.glb", "b.glb", "--force", "--quiet")
        result, _ = self.run_at(base, 0, "error", words)
        self.assertEqual(result.returncode, 0, result.stderr)
        outputs = sorted(name for name in os.listdir(base) if name not in ("a.glb", "b.glb"))
        new = {name: bytes_of(base, name) for name in outputs}
        for how in ("error", "kill"):
            for at in range(1, 200):
                shutil.rmtree(base)
                os.mkdir(base)
                make(base)
                _, hit = self.run_at(base, at, how, words)
                if not hit:
                    break
                for name in outputs:
                    path = os.path.join(base, name)
                    if os.path.exists(path):
                        self.assertIn(bytes_of(base, name), (b"old", new[name]))


if __name__ == "__main__":
    LIBRARY = os.path.abspath(sys.argv.pop(2))
    command_case.main()
