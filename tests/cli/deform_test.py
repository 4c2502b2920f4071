#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""deform_test.py PROGRAM: `sinew deform` from outside: what it writes, says and refuses."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""


class Deform(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="sinew-deform-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        for kind, more in (("human", ["--vertices", "2000"]), ("cylinder", [])):
            subprocess.run([PROGRAM, "make", kind, "-o", f"{kind}.glb", "--quiet", *more], cwd=cls.folder, check=True)

    def sinew(self, *words):
        return subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)

    def deform(self, *words):
        result = self.sinew("deform", *words, "--force")
        self.assertEqual(result.returncode, 0, f"{words}\n{result.stdout}\n{result.stderr}")
        return result

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def refuse(self, *words, says):
        before = sorted(os.listdir(self.folder))
        result = self.sinew("deform", *words)
        self.assertEqual(result.returncode, 2, f"{words}\n{result.stdout}\n{result.stderr}")
        self.assertIn(says, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_the_output_is_named_after_the_input_unless_told(self):
        result = self.deform("human.glb", "--clip", "walk")
        self.assertIn("human_deformed.glb", result.stdout)
        self.assertEqual(self.read("human_deformed.glb")[:4], b"glTF")

    def test_people_and_machines_are_told_error_size_and_shapes(self):
        words = ("human.glb", "--clip", "wave", "--method", "dqs", "--tolerance", "0.002", "-o", "wave.glb")
        text = self.deform(*words).stdout
        for word in ("key shapes", "of the size", "wrote      wave.glb"):
            self.assertIn(word, text)
        metrics = json.loads(self.deform(*words, "--json").stdout)["metrics"]
        self.assertLessEqual(metrics["error_rel"], 0.002)
        self.assertGreater(metrics["targets"], 0)
        self.assertEqual(metrics["bytes"], len(self.read("wave.glb")))

    def test_tetrahedra_come_out_as_key_shapes_caches_and_objects(self):
        words = ("human.glb", "--clip", "wave", "--frames", "6:10", "--method", "pbd", "--tets", "6000", "--tolerance", "0.0005", "--json")
        report = json.loads(self.deform(*words, "-o", "p.glb").stdout)
        self.assertLessEqual(report["metrics"]["error_rel"], 0.0005)
        self.assertGreater(report["metrics"]["targets"], 0)
        self.assertEqual(report["fallbacks"], [])
        self.deform(*words, "-o", "p.pc2")
        self.deform(*words[:4], "10", *words[5:], "-o", "p.obj")
        points = [line.split()[1:4] for line in self.read("p.obj").decode().splitlines() if line.startswith("v ")]
        last = struct.unpack(f"<{3 * len(points)}f", self.read("p.pc2")[-12 * len(points):])
        for shown, told in zip(points, zip(last[::3], last[1::3], last[2::3])):
            for a, b in zip(shown, told):
                self.assertAlmostEqual(float(a), b, places=5)

    def test_a_wire_without_an_inside_is_left_to_the_base_method(self):
        self.assertEqual(self.sinew("make", "cylinder", "--width", "0.0005", "--length", "1", "-o", "wire.glb", "--quiet").returncode, 0)
        report = json.loads(self.deform("wire.glb", "--clip", "exercise", "--frames", "6:10", "--method", "pbd", "-o", "wire_pbd.glb", "--json").stdout)
        self.assertEqual([fallback["code"] for fallback in report["fallbacks"]], ["pbd.no_inside"])

    def test_a_dropped_clip_is_a_warning(self):
        result = self.sinew("deform", "human.glb", "--clip", "wave", "--method", "dqs", "--shapes", "whole", "--tolerance", "0.01", "-o", "w.glb", "--strict", "--force")
        self.assertEqual(result.returncode, 1)
        self.assertIn("walk", result.stderr)

    def test_caches_have_the_documented_headers(self):
        self.deform("cylinder.glb", "--clip", "exercise", "--frames", "2:5", "-o", "c.pc2")
        self.deform("cylinder.glb", "--clip", "exercise", "--frames", "2:5", "--fps", "30", "-o", "c.mdd")
        pc2, mdd = self.read("c.pc2"), self.read("c.mdd")
        mark, version, points, start, step, frames = struct.unpack("<12siiffi", pc2[:32])
        self.assertEqual((mark, version, start, step, frames), (b"POINTCACHE2\0", 1, 2.0, 1.0, 4))
        self.assertEqual(len(pc2), 32 + 12 * points * frames)
        self.assertEqual(struct.unpack(">ii", mdd[:8]), (4, points))
        self.assertAlmostEqual(struct.unpack(">f", mdd[8:12])[0], 2 / 30, places=6)
        self.assertEqual(struct.unpack("<3f", pc2[32:44]), struct.unpack(">3f", mdd[24:36]))

    def test_a_report_can_be_passed_back(self):
        first = self.deform("human.glb", "--clip", "wave", "--method", "dqs", "--tolerance", "0.02", "-o", "a.glb", "--json").stdout
        with open(os.path.join(self.folder, "report.json"), "w", encoding="utf-8") as file:
            file.write(first)
        self.deform("human.glb", "--config", "report.json", "-o", "b.glb")
        self.assertEqual(self.read("a.glb"), self.read("b.glb"))

    def test_what_is_wrong_is_a_sentence_and_nothing_is_written(self):
        self.refuse("human.glb", "-o", "x.glb", says="the option '--clip' or the option '--pose'")
        self.refuse("human.glb", "--clip", "wakl", "-o", "x.glb", says="Did you mean 'walk'?")
        self.refuse("human.glb", "--clip", "walk", "--fps", "-1", "-o", "x.glb", says="--fps")
        self.refuse("human.glb", "--clip", "walk", "--fps", "nan", "-o", "x.glb", says="--fps")
        self.refuse("human.glb", "--clip", "walk", "--frames", "9:2", "-o", "x.glb", says="an empty range, 9:2")
        self.refuse("human.glb", "--clip", "walk", "--method", "dqx", "-o", "x.glb", says="Did you mean 'dqs'?")
        self.refuse("human.glb", "--clip", "walk", "-o", "x.obj", says="single pose")
        self.refuse("human.glb", "--clip", "walk", "--method", "pbd", "--stiffness", "Elbow=2", "-o", "x.glb", says="'Elbow'")
        self.refuse("human.glb", "--clip", "walk", "--method", "pbd", "--sweeps", "0", "-o", "x.glb", says="--sweeps")
        self.refuse("human.glb", "--clip", "walk", "-o", "x.abc", says=".pc2")
        self.refuse("human.glb", "--clip", "missing.glb", "-o", "x.glb", says="missing.glb")
        self.refuse("human.glb", "--pose", "missing.json", "-o", "x.glb", says="missing.json")
        self.refuse("cylinder.glb", "--clip", "human.glb", "-o", "x.glb", says="moves no joint")
        self.refuse("human.glb", "--clip", "wave", "--method", "dqs", "--max-targets", "2", "-o", "x.glb", says=".pc2")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
