#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""rig_test.py PROGRAM: `sinew rig` from outside: what it writes, says and refuses."""

import json
import math
import os
import signal
import subprocess
import time

import command_case


class Rig(command_case.CommandCase):
    COMMAND = "rig"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prepare("make", "human", "--vertices", "2500", "-o", "human.glb")
        cls.prepare("convert", "human.glb", "-o", "bare.obj")

    def rig(self, *words):
        return self.expect(0, *words, "--force")

    def test_the_output_is_named_after_the_input_and_a_picture_comes_next(self):
        lines = self.rig("bare.obj").stdout.splitlines()
        self.assertTrue(any("template" in line and "human" in line for line in lines), lines)
        self.assertTrue(any("wrote" in line and "bare_rigged.glb" in line for line in lines), lines)
        self.assertIn("sinew render bare_rigged.glb --clip builtin:walk --sheet", lines[-1])
        document = self.document("bare_rigged.glb")
        self.assertEqual(len(document["skins"]), 1)
        for primitive in document["meshes"][0]["primitives"]:
            self.assertIn("WEIGHTS_0", primitive["attributes"])

    def test_machines_are_told_where_every_joint_came_from(self):
        report = json.loads(self.rig("bare.obj", "--template", "human", "-o", "told.glb", "--json").stdout)
        metrics = report["metrics"]
        self.assertEqual(metrics["template"], "human")
        self.assertTrue(metrics["fits"])
        names = [node["name"] for node in self.document("told.glb")["nodes"]]
        for joint in metrics["joints"]:
            self.assertEqual(set(joint), {"name", "role", "position", "origin", "confidence"})
            self.assertIn(joint["name"], names)
        self.assertGreater(len(report["timing"]), 3)

    def test_a_report_is_a_configuration(self):
        words = ("bare.obj", "--template", "human", "--hint", "left_hand=0.66,1.17,-0.02,right_hand=-0.66,1.17,-0.02")
        first = self.rig(*words, "-o", "first.glb", "--json").stdout
        with open(os.path.join(self.folder, "report.json"), "w", encoding="utf-8") as file:
            file.write(first)
        self.rig("bare.obj", "--config", "report.json", "-o", "second.glb")
        self.assertEqual(self.read("first.glb"), self.read("second.glb"))

    def test_a_skeleton_is_replaced_only_when_asked(self):
        self.refuse("human.glb", "-o", "new.glb", says="--replace")
        self.rig("human.glb", "--replace", "--template", "human", "--preset", "mixamo", "-o", "new.glb")
        before, after = self.document("human.glb"), self.document("new.glb")
        self.assertEqual(len(after["skins"]), 1)
        self.assertEqual([a["name"] for a in after["animations"]], [a["name"] for a in before["animations"]])
        names = [node["name"] for node in after["nodes"]]
        self.assertIn("mixamorig:Hips", names)
        self.assertNotIn("LeftForearm", names)
        self.assertEqual(len(names), len(set(names)))

    def test_an_avatar_lists_its_bones(self):
        self.rig("bare.obj", "--template", "human", "-o", "out.vrm")
        document = self.document("out.vrm")
        vrm = document["extensions"]["VRMC_vrm"]
        self.assertEqual(vrm["specVersion"], "1.0")
        self.assertIn("VRMC_vrm", document["extensionsUsed"])
        for bone in ("hips", "head", "leftHand", "rightFoot"):
            self.assertIn("name", document["nodes"][vrm["humanoid"]["humanBones"][bone]["node"]])

    def test_wrong_requests_end_with_a_sentence_and_nothing_written(self):
        out = ("bare.obj", "-o", "wrong.glb")
        self.refuse("bare.obj", "-o", "wrong.obj", says="cannot hold a skeleton")
        self.refuse(*out, "--template", "humna", says="human")
        self.refuse(*out, "--template", "dragon", says=("auto", "human", "generic"))
        self.refuse(*out, "--hint", "third_hand=0,1,2", says=("third_hand", "that no template has"))
        self.refuse(*out, "--preset", "unitty", says="unity")
        self.refuse(*out, "--bind", "heta", says="heat")
        self.refuse(*out, "--without", "leg", says=("--without", "legs"))
        self.refuse(*out, "--hint", "left_hand", says="NAME=x,y,z")
        self.refuse(*out, "--hint", "left_hnad=0,1,2", says="left_hand")
        self.refuse(*out, "--joint-positions", "none.json", says="none.json")
        self.refuse(*out, "--demo-clip", "wakl", says="walk")
        self.refuse(*out, "--rest", "x", says="--rest")
        self.refuse("none.obj", says="none.obj")

    def test_what_fits_no_template_is_said_with_exit_code_one(self):
        self.sinew("make", "octopus", "-o", "octopus.glb", "--force")
        self.sinew("convert", "octopus.glb", "-o", "octopus.obj", "--force")
        result = self.sinew("rig", "octopus.obj", "--force", "--json")
        report = json.loads(result.stdout)
        if result.returncode == 1:
            self.assertLess(report["metrics"]["confidence"], 0.3)
            self.assertIn("doubt", [finding["level"] for finding in report["findings"]])
            self.assertEqual(len(self.document("octopus_rigged.glb")["skins"]), 1)
        else:
            # Never a wrong body without a word.
            self.assertTrue(report["findings"], report["metrics"]["template"])

    def test_below_the_requested_confidence_the_file_is_written_with_exit_code_one(self):
        result = self.sinew("rig", "bare.obj", "-o", "unsure.glb", "--min-confidence", "1", "--hint",
                            "left_hand=0.3,1,0", "--force", "--json")
        report = json.loads(result.stdout)
        self.assertLess(report["metrics"]["confidence"], 1)
        self.assertEqual((result.returncode, report["status"]), (1, "incomplete"))
        self.assertEqual(["rig.doubtful"], [f["code"] for f in report["findings"] if f["level"] == "doubt"])
        self.assertEqual(len(self.document("unsure.glb")["skins"]), 1)
        again = self.sinew("rig", "bare.obj", "-o", "sure.glb", "--min-confidence", "0", "--force", "--json")
        self.assertEqual(again.returncode, 0)

    def test_a_mesh_that_lies_is_turned_to_stand_unless_it_shall_not(self):
        self.sinew("convert", "bare.obj", "-o", "lying.obj", "--up", "-z", "--forward", "y", "--force")
        report = json.loads(self.rig("lying.obj", "-o", "stands.glb", "--json").stdout)
        self.assertIn(("rig.turned", "note"), [(f["code"], f["level"]) for f in report["findings"]])
        head = [j for j in report["metrics"]["joints"] if j["name"] == "Head"][0]["position"]
        self.assertGreater(head[1], 1)
        self.assertLess(abs(head[2]), 0.3)
        standing = {j["name"]: j["position"] for j in report["metrics"]["joints"]}
        report = json.loads(self.rig("lying.obj", "-o", "lies.glb", "--json", "--stand", "off").stdout)
        lying = {j["name"]: j["position"] for j in report["metrics"]["joints"]}
        self.assertEqual(list(standing), list(lying))  # Turned, and not searched again.
        for name in standing:
            self.assertAlmostEqual(math.dist(standing[name], standing["Hips"]), math.dist(lying[name], lying["Hips"]), places=6)
        head = [j for j in report["metrics"]["joints"] if j["name"] == "Head"][0]["position"]
        self.assertGreater(abs(head[2]), 1)

    def test_a_person_of_unlikely_height_gets_a_warning_with_the_unit(self):
        self.sinew("convert", "bare.obj", "-o", "large.obj", "--height", "172", "--force")
        report = json.loads(self.rig("large.obj", "-o", "large.glb", "--json").stdout)
        size = [f for f in report["findings"] if f["code"] == "rig.size"]
        self.assertEqual([f["level"] for f in size], ["warning"])
        self.assertIn("cm", size[0]["text"])
        report = json.loads(self.rig("large.obj", "-o", "right.glb", "--unit", "cm", "--json").stdout)
        self.assertNotIn("rig.size", [f["code"] for f in report["findings"]])

    def test_a_clip_that_does_not_fit_is_a_warning(self):
        result = self.rig("bare.obj", "-o", "wingless.glb", "--demo-clip", "flap")
        self.assertIn("warning: flap: ", result.stderr)

    def test_several_files_form_one_character_and_a_note_says_so(self):
        result = self.rig("bare.obj", "bare.obj", "-o", "one.glb")
        self.assertIn("note: The 2 files form one character.", result.stderr)

    def test_a_generic_skeleton_that_was_asked_for_is_no_failure(self):
        self.rig("bare.obj", "--template", "generic", "-o", "generic.glb")
        self.assertEqual(len(self.document("generic.glb")["skins"]), 1)

    def test_cancelling_leaves_nothing(self):
        before = sorted(os.listdir(self.folder))
        with subprocess.Popen([command_case.PROGRAM, "rig", "bare.obj", "-o", "never.glb"], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            time.sleep(0.15)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        if process.returncode != 0:
            self.assertEqual(process.returncode, 130)
            self.assertEqual(sorted(os.listdir(self.folder)), before)
        else:
            os.remove(os.path.join(self.folder, "never.glb"))


if __name__ == "__main__":
    command_case.main()
