#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""helpers_test.py PROGRAM [TEST…]: helper joints on the command line."""

import json
import os
import sys
import unittest

import cli_test
from weights_test import read_glb, write_glb


class Helpers(cli_test.Cli):
    def setUp(self):
        super().setUp()
        self.expect(0, "make", "human", "-o", "hero.glb", "--vertices", "3000", "--quiet")

    def report(self, *words, code=0):
        return json.loads(self.expect(code, "helpers", *words, "--json").stdout)

    def test_twist_joints_keep_the_sections_and_the_rest_of_the_file(self):
        report = self.report("hero.glb", "--twist", "forearm,upperarm")
        self.assertEqual(report["metrics"]["per_bone"], 3)
        self.assertEqual(report["metrics"]["joints_added"], 12)
        for bone in report["metrics"]["twists"]:
            self.assertLess(bone["thinnest"]["before"], 0.5, bone)
            self.assertGreater(bone["thinnest"]["after"], 0.7, bone)
            self.assertLess(bone["off_slbs_rel"]["after"]["rms"], 0.5 * bone["off_slbs_rel"]["before"]["rms"], bone)
        before, after = (read_glb(self.read(name))[0] for name in ("hero.glb", "hero_helpers.glb"))
        for key in ("asset", "materials", "scenes", "scene"):
            self.assertEqual(before.get(key), after.get(key), key)
        names = [node.get("name") for node in after["nodes"]]
        for name in ("LeftForearmTwist1", "RightUpperArmTwist3"):
            self.assertIn(name, names)
        self.assertEqual(len(after["skins"][0]["joints"]), len(before["skins"][0]["joints"]) + 12)
        # The clips have what the helpers do.
        helpers = {i for i, node in enumerate(after["nodes"]) if "Twist" in node.get("name", "")}
        self.assertEqual(report["metrics"]["baked_clips"], len(before["animations"]))
        for was, now in zip(before["animations"], after["animations"]):
            moved = {channel["target"]["node"] for channel in now["channels"]}
            self.assertTrue(moved & helpers)
            self.assertGreater(len(now["channels"]), len(was["channels"]))

    def test_without_baking_clips_stay_as_they_are(self):
        self.expect(0, "helpers", "hero.glb", "--twist", "left_forearm", "--per-bone", "2", "--no-bake", "-o", "out.glb")
        before, after = (read_glb(self.read(name))[0] for name in ("hero.glb", "out.glb"))
        self.assertEqual([len(a["channels"]) for a in before["animations"]], [len(a["channels"]) for a in after["animations"]])

    def test_bends_keep_their_volume(self):
        report = self.report("hero.glb", "--bend", "elbow,knee")
        self.assertEqual(len(report["metrics"]["bends"]), 4)
        for joint in report["metrics"]["bends"]:
            self.assertLess(joint["volume"]["before"], joint["volume"]["after"])
            self.assertLess(abs(joint["volume"]["after"] - 1), 0.1)

    def test_what_would_harm_is_reduced_and_named_with_both_figures(self):
        result = self.expect(0, "helpers", "hero.glb", "--bend", "elbow", "--json")
        report = json.loads(result.stdout)
        found = {finding["where"]: finding for finding in report["findings"] if finding["code"] == "helpers.reduced"}
        self.assertEqual(sorted(found), ["LeftForearm", "RightForearm"])
        for reduction in report["metrics"]["reductions"]:
            self.assertLess(reduction["strength"], 1)
            self.assertIn(f"from {reduction['before']:.2f} to {reduction['full']:.2f}", found[reduction["joint"]]["text"])

    def test_helpers_that_stand_still_in_engines_are_noted(self):
        text = self.expect(0, "helpers", "hero.glb", "--twist", "forearm", "--no-bake", "-o", "still.glb").stdout
        self.assertIn("stand still in engines", text)
        self.assertNotIn("stand still", self.expect(0, "helpers", "hero.glb", "--twist", "forearm", "-o", "moving.glb").stdout)
        document, binary = read_glb(self.read("hero.glb"))
        del document["animations"]
        with open(self.path("bare.glb"), "wb") as file:
            file.write(write_glb(document, binary))
        text = self.expect(0, "helpers", "bare.glb", "--twist", "forearm", "-o", "none.glb").stdout
        self.assertIn("--bake-clips builtin", text)
        report = self.report("bare.glb", "--twist", "forearm", "--bake-clips", "builtin", "-o", "with.glb")
        self.assertIn("walk", report["metrics"]["added_clips"])
        self.assertTrue(report["metrics"]["moves_in_engines"])
        document = read_glb(self.read("with.glb"))[0]
        helpers = {i for i, node in enumerate(document["nodes"]) if "Twist" in node.get("name", "")}
        self.assertEqual([a["name"] for a in document["animations"]], report["metrics"]["added_clips"])
        for animation in document["animations"]:
            self.assertTrue({channel["target"]["node"] for channel in animation["channels"]} & helpers)
        self.expect(2, "helpers", "bare.glb", "--twist", "forearm", "--bake-clips", "builtin", "-o", "with.rig.json")

    def test_people_read_what_was_added_and_what_it_is_worth(self):
        text = self.expect(0, "helpers", "hero.glb", "--twist", "forearm", "--bend", "elbow", "-o", "out.glb").stdout
        for words in ("twist", "LeftForearm → LeftHand", "thinnest", "formula", "SLBS", "bend", "wrote", "next: sinew render"):
            self.assertIn(words, text)

    def test_helpers_can_be_written_as_rig_json(self):
        self.expect(0, "helpers", "hero.glb", "--twist", "forearm", "-o", "out.rig.json")
        rig = json.loads(self.read("out.rig.json"))
        drivers = [joint["driver"] for joint in rig["joints"] if "driver" in joint]
        self.assertEqual(len(drivers), 6)

    def test_the_same_bytes_for_any_number_of_threads(self):
        files = []
        for threads in ("1", "2"):
            self.expect(0, "helpers", "hero.glb", "--twist", "forearm,thigh", "--bend", "knee", "-o", "out.glb", "--force", "--threads", threads)
            files.append(self.read("out.glb"))
        self.assertEqual(files[0], files[1])

    def test_bad_requests_are_one_sentence_and_write_nothing(self):
        self.expect(0, "helpers", "hero.glb", "--twist", "forearm", "-o", "done.glb")
        before = self.names()
        for words in (["hero.glb"], ["hero.glb", "--twist", "wing"], ["cube.obj", "--twist", "forearm"], ["none.glb", "--twist", "forearm"],
                      ["hero.glb", "--twist", "forearm", "--per-bone", "0"], ["hero.glb", "--twist", "forearm", "--per-bone", "some"],
                      ["hero.glb", "--twist", "forearm", "-o", "out.obj"], ["hero.glb", "--bend", "nobody"],
                      ["hero.glb", "--twist", "Head"], ["done.glb", "--twist", "forearm"]):
            result = self.expect(2, "helpers", *words)
            self.assertTrue(result.stderr.startswith("sinew: "), result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual(self.names(), before)


if __name__ == "__main__":
    cli_test.PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
