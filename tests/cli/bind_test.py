#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""bind_test.py PROGRAM: `sinew bind` from outside: what it writes, says and refuses."""

import json

import command_case


class Bind(command_case.CommandCase):
    COMMAND = "bind"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prepare("make", "human", "--vertices", "1500", "-o", "human.glb")
        for name in ("human.obj", "human.rig.json"):
            cls.prepare("convert", "human.glb", "-o", name)

    def bind(self, *words):
        return self.expect(0, *words, "--force")

    def test_the_output_is_named_after_the_input_and_a_picture_comes_next(self):
        lines = self.bind("human.glb").stdout.splitlines()
        self.assertTrue(any("wrote" in line and "human_bound.glb" in line for line in lines), lines)
        self.assertIn("sinew render human_bound.glb", lines[-1])
        self.assertEqual(self.read("human_bound.glb")[:4], b"glTF")

    def test_only_the_weights_of_the_file_change(self):
        self.bind("human.glb", "-o", "again.glb")
        before, after = self.document("human.glb"), self.document("again.glb")
        for key in ("nodes", "animations", "materials", "skins", "scenes"):
            self.assertEqual(after.get(key), before.get(key), key)
        for primitive in after["meshes"][0]["primitives"]:
            self.assertIn("WEIGHTS_0", primitive["attributes"])

    def test_machines_are_told_where_every_row_came_from(self):
        report = json.loads(self.bind("human.glb", "-o", "told.glb", "--json").stdout)
        metrics = report["metrics"]
        self.assertEqual(sum(origin["vertices"] for origin in metrics["origins"]), metrics["vertices"])
        for key in ("low_confidence", "joints_without_vertices", "excluded_vertices", "skins", "parts"):
            self.assertIn(key, metrics)
        for stage in ("read", "bind", "write"):
            self.assertIn(stage, report["timing"])

    def test_a_bare_mesh_takes_its_joints_from_a_rig_file(self):
        self.bind("human.obj", "--rig", "human.rig.json", "-o", "rigged.glb")
        document = self.document("rigged.glb")
        self.assertEqual(len(document["skins"]), 1)
        self.assertIn("skin", next(node for node in document["nodes"] if "mesh" in node))

    def test_same_bytes_for_one_thread_and_two(self):
        self.bind("human.glb", "-o", "one.glb", "--threads", "1")
        self.bind("human.glb", "-o", "two.glb", "--threads", "2")
        self.assertEqual(self.read("one.glb"), self.read("two.glb"))

    def test_the_number_of_joints_a_vertex_may_have_is_kept(self):
        report = json.loads(self.bind("human.glb", "-o", "two_each.glb", "--max-influences", "2", "--json").stdout)
        self.assertEqual(report["metrics"]["max_influences"], 2)

    def test_no_limit_is_zero(self):
        report = json.loads(self.bind("human.glb", "-o", "all.glb", "--method", "heat", "--max-influences", "0", "--json").stdout)
        self.assertGreater(report["metrics"]["max_influences"], 4)

    def test_each_method_brings_its_own_options(self):
        voxel = json.loads(self.bind("human.glb", "-o", "voxel.glb", "--method", "voxel", "--resolution", "64", "--json").stdout)
        self.assertEqual((voxel["options"]["method"], voxel["options"]["voxel"]["resolution"]), ("voxel", 64))
        self.refuse("human.glb", "-o", "k.glb", "--method", "heat", "--resolution", "64", says="resolution")
        self.bind("human.glb", "-o", "segment.glb", "--method", "segment", "--formula", "paper", "--smooth", "0")

    def test_a_named_part_hangs_on_one_joint_and_colours_tell_it(self):
        report = json.loads(self.bind("human.glb", "-o", "stiff.glb", "--rigid", f"{self.node()}={self.joint()}", "--debug-colors",
                                      "--json").stdout)
        (origin,) = report["metrics"]["origins"]
        self.assertEqual((origin["method"], report["metrics"]["max_influences"]), ("rigid", 1))
        self.assertIn("color", origin)
        for primitive in self.document("stiff.glb")["meshes"][0]["primitives"]:
            self.assertIn("COLOR_0", primitive["attributes"])

    def node(self):
        return next(node["name"] for node in self.document("human.glb")["nodes"] if "mesh" in node)

    def joint(self):
        document = self.document("human.glb")
        return document["nodes"][document["skins"][0]["joints"][0]]["name"]

    def test_wrong_requests_are_refused_and_nothing_is_written(self):
        self.refuse("human.obj", "-o", "a.glb", says="no skeleton")
        self.refuse("human.glb", "-o", "b.glb", "--joints", "Nobody", says="'Nobody'")
        self.refuse("human.glb", "-o", "c.obj", says="cannot hold weights")
        self.refuse("human.glb", "-o", "d.glb", "--method", "magic", says="'magic'")
        self.refuse("human.rig.json", "-o", "e.glb", says="no mesh")
        self.refuse("human.glb", "-o", "g.glb", "--exclude", self.node(), says="nothing to bind")
        self.refuse("human.glb", "-o", "h.glb", "--exclude", self.node() + "x", says=f"Did you mean '{self.node()}'")
        self.refuse("human.glb", "-o", "i.glb", "--rigid", self.node(), says="NODE=JOINT")
        self.refuse("human.glb", "-o", "j.rig.json", "--debug-colors", says="cannot hold colours")
        self.refuse("human.glb", "-o", "f.glb", "--max-influences", "65", says="max")


if __name__ == "__main__":
    command_case.main()
