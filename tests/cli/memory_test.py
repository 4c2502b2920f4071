# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""memory_test.py PROGRAM LIBRARY [TEST…]: memory runs out at many places, by allocations that fail and by a limit of
the system. The program prints a sentence, ends with exit code 2 or 3 and leaves
files as they were, or with 0 or 1 after the new file is in place."""

import os
import resource
import subprocess
import sys

import command_case
from command_case import CommandCase

LIBRARY = ""
# How many places to try for each command; SINEW_MEMORY_PLACES=100000 tries all of them.
PLACES = int(os.environ.get("SINEW_MEMORY_PLACES", "6"))
COMMANDS = ("convert limb.glb -o out.glb --force", "convert limb.glb -o out.gltf --force",
            "weights limb.glb --smooth 2 -o out.glb --force", "bind limb.glb --method heat -o out.glb --force",
            "check limb.glb", "deform limb.glb --clip exercise --frames 0:2 --method pbd -o out.glb --force",
            "convert limb.obj -o out.glb --force", "convert limb.dae -o out.glb --force")


# A triangle, which the foreign reader's process reads.
COLLADA = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1" name="m"/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="f" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source="#f" count="3" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""


def spread(count, places):
    """At most so many of the numbers 1…count: half of them even, half close to the end, where files are put into place."""
    if count <= places:
        return list(range(1, count + 1))
    even = {1 + (count - 1) * k // (places // 2) for k in range(places // 2)}
    late = {max(1, count - 12 ** k // 4) for k in range((places + 1) // 2)}
    return sorted(even | late)


class Memory(CommandCase):
    COMMAND = "memory"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prepare("make", "cylinder", "-o", "limb.glb", "--joint-count", "3", "--layers", "12")
        cls.prepare("convert", "limb.glb", "-o", "limb.obj")
        with open(os.path.join(cls.folder, "limb.dae"), "w", encoding="utf-8") as file:
            file.write(COLLADA)

    def run_with(self, words, environment=None, preexec=None):
        """Runs a command over an old file and checks what it leaves."""
        output = words[words.index("-o") + 1] if "-o" in words else None
        for name in os.listdir(self.folder):
            if name.startswith("out"):
                os.unlink(os.path.join(self.folder, name))
        if output:
            with open(os.path.join(self.folder, output), "wb") as file:
                file.write(b"old")
        before = sorted(os.listdir(self.folder))
        variables = {**os.environ, "XDG_CACHE_HOME": os.path.join(self.folder, "cache"), **(environment or {})}
        result = subprocess.run([command_case.PROGRAM, *words, "--quiet", "--threads", "1"], cwd=self.folder, env=variables,
                                capture_output=True, text=True, errors="replace", preexec_fn=preexec, timeout=120, check=False)
        place = f"{words} with {environment}: exit code {result.returncode}, {result.stderr[-300:]}"
        self.assertIn(result.returncode, (0, 1, 2, 3), place)
        if result.returncode >= 2:
            self.assertTrue("sinew: " in result.stderr or "UNREADABLE" in result.stdout + result.stderr, place)
            self.assertEqual([n for n in sorted(os.listdir(self.folder)) if n not in ("cache", "hit")],
                             [n for n in before if n not in ("cache", "hit")], place)
            if output:
                self.assertEqual(self.read(output), b"old", place)
        elif output:
            self.assertNotEqual(self.read(output), b"old", place)
            if result.returncode == 1:
                self.assertEqual(self.sinew("info", output).returncode, 0, place)
        return result.returncode

    @staticmethod
    def count_of(log):
        with open(log, encoding="ascii") as file:
            return int(file.read())

    def injected(self, how, least):
        log = os.path.join(self.folder, "hit")
        for command in COMMANDS:
            base = {"LD_PRELOAD": LIBRARY, "SINEW_FAIL_LOG": log, "SINEW_FAIL_LEAST": str(least), "SINEW_FAIL_HOW": how}
            # What the libraries allocate before the program begins, and when there is nothing to do, is left alone.
            subprocess.run([command_case.PROGRAM, "--version"], capture_output=True, check=True,
                           env={**os.environ, **base, "SINEW_FAIL_AT": "0"})
            first = self.count_of(log)
            self.run_with(command.split(), {**base, "SINEW_FAIL_AT": "0"})
            count = self.count_of(log) - first
            self.assertGreater(count, 3, command)
            hits = 0
            for at in [first + k for k in spread(count, PLACES)]:
                os.unlink(log)
                self.run_with(command.split(), {**base, "SINEW_FAIL_AT": str(at)})
                hits += os.path.exists(log)
                open(log, "a").close()
            self.assertGreater(hits, 0, command)

    def test_one_large_allocation_fails(self):
        self.injected("once", 4096)

    def test_all_large_allocations_fail_from_some_point_on(self):
        self.injected("on", 4096)

    def test_a_small_allocation_fails(self):
        self.injected("once", 1)

    def test_a_limit_of_address_space(self):
        for command in COMMANDS[:7:2]:
            codes = []
            for mebibytes in (60, 120, 260):
                limit = mebibytes << 20
                codes.append(self.run_limited(command.split(), limit))
            self.assertIn(0, [*codes, self.run_with(command.split())])

    def run_limited(self, words, limit):
        # Below some limit the loader itself cannot map the libraries of the program.
        code = subprocess.run([command_case.PROGRAM, "--version"], capture_output=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))).returncode
        if code != 0:
            return None
        return self.run_with(words, preexec=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))


if __name__ == "__main__":
    LIBRARY = os.path.abspath(sys.argv.pop(2))
    command_case.main()
