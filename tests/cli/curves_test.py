#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""curves_test.py PROGRAM [TEST…]: curves, and rig with joints on curves."""

import json

import command_case


class Curves(command_case.CommandCase):
    COMMAND = "curves"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prepare("make", "figure", "-o", "figure.obj", "--vertices", "2018")

    def test_the_file_has_all_rings_and_every_vertex_once(self):
        self.expect(0, "figure.obj", "-o", "curves.json")
        curves = json.loads(self.read("curves.json"))
        self.assertEqual(len(curves["limbs"]), 5)
        self.assertEqual(sum(curve["closed"] for curve in curves["curves"]), 94)
        points = [point for curve in curves["curves"] for point in curve["points"]]
        self.assertEqual(sorted(points), list(range(2018)))

    def test_two_runs_write_the_same_bytes(self):
        self.expect(0, "figure.obj", "-o", "one.json", "--source", "levels", "--threads", "1")
        self.expect(0, "figure.obj", "-o", "two.json", "--source", "levels", "--threads", "2")
        self.assertEqual(self.read("one.json"), self.read("two.json"))

    def test_a_painted_file_has_the_middle_lines_as_its_skeleton(self):
        self.expect(0, "figure.obj", "-o", "painted.glb")
        names = [node.get("name", "") for node in self.document("painted.glb")["nodes"]]
        self.assertEqual(sum(name.startswith(("Limb", "Trunk")) for name in names), 94)

    def test_the_report_names_the_template_that_fits(self):
        self.prepare("make", "hand", "-o", "hand.obj", "--vertices", "3000")
        report = json.loads(self.expect(0, "hand.obj", "-o", "hand.json", "--json").stdout)
        self.assertEqual(report["metrics"]["template"]["name"], "hand")
        self.assertLess(report["metrics"]["template"]["cost"], 0.42)

    def test_wrong_tips_are_refused_and_nothing_is_written(self):
        for tips in ("99999", "nose"):
            self.refuse("figure.obj", "-o", "none.json", "--tips", tips, says="tips")

    def test_rig_reports_both_scores_and_refuses_poses_of_other_meshes(self):
        self.prepare("make", "human", "-o", "human.obj", "--vertices", "3000")
        words = ("rig", "human.obj", "-o", "rigged.glb", "--bind", "distance", "--json", "--force")
        place = json.loads(self.sinew(*words).stdout)["metrics"]["embedding"]["place"]
        self.assertIn("total", place["embed"])
        self.assertIn("total", place["curves"])
        report = json.loads(self.sinew(*words, "--place", "embed").stdout)
        self.assertNotIn("place", report["metrics"]["embedding"])
        refused = self.sinew(*words, "--also-posed", "figure.obj")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("also-posed", refused.stderr + refused.stdout)


if __name__ == "__main__":
    command_case.main()
