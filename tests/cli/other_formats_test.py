#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""other_formats_test.py PROGRAM: files that Assimp reads, tried from outside. Needs Debian's assimp-testmodels."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest

import cli_test

MODELS = "/usr/share/assimp/models"


@unittest.skipUnless(os.path.isdir(MODELS), "the package assimp-testmodels is not installed")
class OtherFormats(cli_test.Cli):
    def model(self, name):
        return os.path.join(MODELS, name)

    def sample(self, name):
        with open(self.model(name), "rb") as file:
            return file.read()

    def put(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def test_info_tells_when_the_order_is_assimps(self):
        for name, assimp in (("FBX/animation_with_skeleton.fbx", False), ("FBX/cubes_with_names.fbx", True),
                             ("Collada/human.zae", True)):
            report = json.loads(self.expect(0, "info", self.model(name), "--json").stdout)
            self.assertEqual("vertex_order" in [warning["code"] for warning in report["findings"]], assimp, name)

    def test_info_tells_unit_axes_and_counts(self):
        report = json.loads(self.expect(0, "info", self.model("FBX/animation_with_skeleton.fbx"), "--json").stdout)
        text = json.dumps(report["metrics"])
        for word in ("1058", "unit_in_metres", "+y", "cameras", "Armature|ArmatureAction"):
            self.assertIn(word, text)

    def test_a_file_becomes_glb_with_skeleton_and_clip(self):
        for name, vertices, clips in (("FBX/animation_with_skeleton.fbx", 1058, 1), ("IQM/mrfixit.iqm", 1861, 1),
                                      ("Collada/human.zae", 14444, 0), ("STL/Spider_binary.stl", 722, 0)):
            report = json.loads(self.expect(0, "convert", self.model(name), "-o", "out.glb", "--force", "--json").stdout)
            self.assertEqual(report["metrics"]["read"]["vertices"], vertices, name)
            again = json.loads(self.expect(0, "info", "out.glb", "--json").stdout)
            self.assertEqual(len(again["metrics"]["clips"]), clips, name)

    def test_damage_is_exit_code_2_and_one_sentence(self):
        whole = {name: self.sample(name) for name in ("FBX/phong_cube.fbx", "Collada/duck.zae", "Collada/cube_tristrips.dae")}
        for number in range(60):
            rng = random.Random(number)
            name = rng.choice(sorted(whole))
            data = bytearray(whole[name])
            for _ in range(rng.randrange(1, 4)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            file = "damaged" + os.path.splitext(name)[1]
            self.put(file, data)
            result = self.sinew("info", file)
            self.assertIn(result.returncode, (0, 2), f"{name} {number}: {result.stderr}")
            if result.returncode == 2:
                self.assertTrue(result.stderr.startswith("sinew: " + file), result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_nothing_is_written_when_the_reader_fails(self):
        for name, word in (("FBX/phong_cube.fbx", "damaged"), ("Collada/cube_tristrips.dae", "Assimp")):
            cut = "cut" + os.path.splitext(name)[1]
            self.put(cut, self.sample(name)[:5000])
            result = self.expect(2, "convert", cut, "-o", "out.glb")
            self.assertIn(word, result.stderr)
            self.assertNotIn("out.glb", self.names())

    def test_a_rig_of_rignet_joins_the_mesh_beside_it(self):
        self.write("quad.obj", "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4\n")
        rig = "joints a 0.5 0 0\njoints b 0.5 1 0\nroot a\nhier a b\nskin 0 a 1\nskin 1 a 1\nskin 2 b 1\nskin 3 b 1\n"
        self.write("quad.txt", rig)
        self.expect(0, "convert", "quad.txt", "-o", "quad.glb")
        report = json.loads(self.expect(0, "info", "quad.glb", "--json").stdout)
        self.assertEqual([skin["joints"] for skin in report["metrics"]["skins"]], [2])
        self.write("quad.txt", rig + "skin 4 b 1\n")
        result = self.expect(2, "convert", "quad.txt", "-o", "bad.glb")
        self.assertIn("quad.obj has 4 vertices", result.stderr)
        self.assertNotIn("bad.glb", self.names())

    def test_these_formats_are_only_read_and_a_sentence_says_so(self):
        result = self.expect(2, "convert", "cube.obj", "-o", "cube.fbx")
        self.assertIn("can only be read", result.stderr)

    def test_no_worker_outlives_the_program(self):
        # Long enough to be caught at work.
        triangle = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex {} 1 0\nendloop\nendfacet\n"
        self.write("big.stl", "solid big\n" + "".join(triangle.format(i) for i in range(400_000)) + "endsolid big\n")
        for stop, codes in ((signal.SIGINT, (130, 0)), (signal.SIGKILL, (-9, 0))):
            with subprocess.Popen([cli_test.PROGRAM, "info", "big.stl"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, start_new_session=True) as process:
                time.sleep(0.4)
                process.send_signal(stop)
                self.assertIn(process.wait(60), codes)
                for _ in range(50):
                    try:
                        os.killpg(process.pid, 0)  # Is anybody left in its group?
                    except ProcessLookupError:
                        break
                    time.sleep(0.1)
                else:
                    self.fail("a worker is still there")


if __name__ == "__main__":
    cli_test.PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
