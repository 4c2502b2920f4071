#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""transfer_test.py PROGRAM: `sinew transfer` from outside: what it writes, says and refuses."""

import json
import os

import command_case


class Transfer(command_case.CommandCase):
    COMMAND = "transfer"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, *words in (("hero.glb", "human", "--vertices", "1200"),
                             ("villain.glb", "human", "--vertices", "800", "--vary", "0.6", "--seed", "3", "--made-pose", "t"),
                             ("far.glb", "human", "--vertices", "500"),
                             ("arm.glb", "arm")):
            cls.prepare("make", *words, "-o", name)
        cls.prepare("convert", "hero.glb", "-o", "hero.obj")

    def transfer(self, *words, code=0):
        return self.expect(code, *words, "--force")

    def test_the_output_is_named_after_the_target_and_a_picture_comes_next(self):
        lines = self.transfer("hero.glb", "villain.glb").stdout.splitlines()
        self.assertTrue(any("wrote" in line and "villain_transferred.glb" in line for line in lines), lines)
        self.assertTrue(any("Hips" in line and "→" in line for line in lines), lines)
        self.assertIn("sinew render villain_transferred.glb", lines[-1])
        self.assertEqual(self.read("villain_transferred.glb")[:4], b"glTF")

    def test_the_report_has_the_map_levels_and_times(self):
        report = json.loads(self.transfer("hero.glb", "villain.glb", "-o", "out.glb", "--json").stdout)
        target = report["metrics"]["targets"][0]
        self.assertEqual({"reference": "Hips", "target": "Hips", "by": "name"}, target["map"][0])
        self.assertEqual(sum(target["weights"]["levels"].values()), target["vertices"])
        self.assertGreater(target["weights"]["mean_confidence"], 0.5)
        for stage in ("read", "guides", "rays", "write"):
            self.assertIn(stage, report["timing"])
        self.assertEqual(len(report["inputs"]), 2)

    def test_several_targets_go_to_a_folder_with_joints_in_one_order(self):
        self.transfer("hero.glb", "villain.glb", "far.glb", "hero.obj", "-o", "crowd/", "--clips")
        orders = []
        for name in ("villain", "far", "hero"):
            document = self.document(f"crowd/{name}_transferred.glb")
            orders.append([document["nodes"][j]["name"] for j in document["skins"][0]["joints"]])
        self.assertEqual(orders[0], orders[1])
        self.assertEqual(orders[0], orders[2])
        clips = [clip["name"] for clip in self.document("crowd/hero_transferred.glb")["animations"]]
        self.assertEqual(clips, [clip["name"] for clip in self.document("hero.glb")["animations"]])

    def test_one_target_that_fails_leaves_the_others(self):
        with open(os.path.join(self.folder, "nothing.obj"), "w", encoding="utf-8") as file:
            file.write("v 0 0 0\n")
        result = self.transfer("hero.glb", "nothing.obj", "far.glb", "-o", "some", code=2)
        self.assertIn("folder", result.stderr)
        result = self.transfer("hero.glb", "nothing.obj", "far.glb", "-o", "some/", code=1)
        self.assertIn("nothing.obj: The target has no mesh", result.stdout)
        self.assertEqual(os.listdir(os.path.join(self.folder, "some")), ["far_transferred.glb"])

    def test_the_helpers_of_an_arm_land_where_they_belong_on_one_of_twice_its_length(self):
        self.sinew("convert", "arm.glb", "-o", "arm.obj", "--force")
        with open(os.path.join(self.folder, "arm.obj"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        with open(os.path.join(self.folder, "long.obj"), "w", encoding="utf-8") as file:
            for line in lines:
                words = line.split()
                if words and words[0] == "v":
                    line = f"v {2 * float(words[1])!r} {words[2]} {words[3]}"
                file.write(line + "\n")
        self.transfer("arm.glb", "long.obj", "-o", "long.glb", code=1)  # Only scaled: doubtful.
        before, after = self.document("arm.glb")["nodes"], self.document("long.glb")["nodes"]
        places = {node["name"]: node.get("translation", [0, 0, 0]) for node in after}
        self.assertEqual(sum("Helper" in node["name"] for node in before), 6)
        for node in before:
            # Bones lie along +Y of their joints.
            for here, there, factor in zip(node.get("translation", [0, 0, 0]), places[node["name"]], (1, 2, 1)):
                self.assertAlmostEqual(there, factor * here, delta=0.001, msg=node["name"])

    def test_every_way_writes_weights_that_the_next_command_takes(self):
        for method in ("auto", "skeleton", "biharmonic", "closest", "inpaint", "guides"):
            self.transfer("hero.glb", "far.glb", "-o", f"{method}.glb", "--method", method)
            result = self.sinew("info", f"{method}.glb", "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("the weights of every vertex sum to 1", self.sinew("info", f"{method}.glb").stdout)

    def test_wrong_requests_are_told_in_one_line(self):
        with open(os.path.join(self.folder, "map.txt"), "w", encoding="utf-8") as file:
            file.write("Hips Hips\n")
        self.refuse("hero.glb", says="transfer")
        self.refuse("hero.obj", "far.glb", "-o", "x.glb", says="has no skin")
        self.refuse("hero.glb", "hero.glb", "-o", "x.glb", says="both the reference and a target")
        self.refuse("hero.glb", "far.glb", "-o", "x.obj", says="cannot hold weights")
        self.refuse("hero.glb", "far.glb", "-o", "villain.glb", says="already exists")
        self.refuse("hero.glb", "far.glb", "-o", "x.glb", "--map", "map.txt", says="JSON object")
        self.refuse("hero.glb", "far.glb", "-o", "x.glb", "--only", "LeftHend", says="Did you mean 'LeftHand'?")
        self.refuse("hero.glb", "hero.obj", "-o", "x.glb", "--only", "LeftHand", says="only")
        self.refuse("hero.glb", "far.glb", "-o", "x.glb", "--method", "skelton", says="skeleton")
        self.refuse("hero.glb", "arm.glb", "-o", "x.glb", says="map")


if __name__ == "__main__":
    command_case.main()
