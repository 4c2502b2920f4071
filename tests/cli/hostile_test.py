#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""hostile_test.py PROGRAM [TEST…]: files of the kinds that broke earlier versions, made here, through many commands.

Whatever the file, a command ends with exit code 0, 1 or 2 within 30 s of processor time and 3 GiB of address space. With
exit code 2 it prints one sentence and writes nothing; what it writes can be read again."""

import copy
import json
import math
import os
import resource
import struct
import subprocess

import command_case
from command_case import CommandCase

SANITIZED = bool(os.environ.get("SINEW_SANITIZED"))
COMMANDS = ("info IN --deep", "check IN", "convert IN -o out.glb", "convert IN -o out.gltf", "convert IN -o out.rig.json",
            "weights IN --repair --fill --smooth 2 -o out.glb", "bind IN --method segment -o out.glb",
            "bind IN --method heat -o out.glb", "measure IN", "segment IN -o out.json",
            "deform IN --method pbd --clip bend --frames 0:1 -o out.pc2", "render IN --quick --size 64x64 -o out.png")


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))


class Glb:
    """A binary glTF file whose JSON and floats can be changed."""

    def __init__(self, data):
        (length,) = struct.unpack_from("<I", data, 12)
        self.json = json.loads(data[20:20 + length])
        self.bytes = bytearray(data[28 + length:])

    def start(self, accessor):
        a = self.json["accessors"][accessor]
        return self.json["bufferViews"][a["bufferView"]].get("byteOffset", 0) + a.get("byteOffset", 0)

    def attribute(self, name):
        return self.json["meshes"][0]["primitives"][0]["attributes"][name]

    def scale(self, accessor, factor, components=3):
        a = self.json["accessors"][accessor]
        at, count = self.start(accessor), a["count"] * components
        values = [v * factor for v in struct.unpack_from(f"<{count}f", self.bytes, at)]
        values = [max(-3.4e38, min(3.4e38, v)) for v in values]
        struct.pack_into(f"<{count}f", self.bytes, at, *values)
        for key in ("min", "max"):
            if key in a:
                a[key] = [v * factor for v in a[key]]

    def data(self):
        text = json.dumps(self.json, allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        body = bytes(self.bytes) + b"\0" * (-len(self.bytes) % 4)
        return (struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(body), len(text), 0x4E4F534A) + text +
                struct.pack("<II", len(body), 0x004E4942) + body)


class Hostile(CommandCase):
    COMMAND = "hostile"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prepare("make", "bar", "-o", "bar.glb", "--joint-count", "3")

    def glb(self):
        return Glb(self.read("bar.glb"))

    def run_all(self, name, data, commands=COMMANDS):
        """The exit codes of the commands on a file."""
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.data())
        codes = {}
        for command in commands:
            before = set(os.listdir(self.folder))
            words = [name if word == "IN" else word for word in command.split()]
            result = subprocess.run([command_case.PROGRAM, *words, "--quiet", "--threads", "2"], cwd=self.folder,
                                    capture_output=True, text=True, errors="replace", preexec_fn=limits, timeout=200, check=False)
            codes[command] = result.returncode
            self.assertIn(result.returncode, (0, 1, 2), f"{name}: {command}\n{result.stderr[-500:]}")
            written = sorted(set(os.listdir(self.folder)) - before)
            if result.returncode == 2:
                self.assertTrue(result.stderr.startswith("sinew: ") or command.startswith("check"), f"{command}: {result.stderr}")
                self.assertEqual(written, [], command)
            for made in written:
                if made in ("out.glb", "out.gltf", "out.rig.json"):
                    self.assertEqual(self.sinew("info", made).returncode, 0, f"{name}: {command} wrote what info refuses")
            for made in written:
                os.unlink(os.path.join(self.folder, made))
        return codes

    def test_sizes_no_method_can_take(self):
        for factor in (1e-30, 1e-12, 1e12, 1e37):
            glb = self.glb()
            glb.scale(glb.attribute("POSITION"), factor)
            codes = self.run_all("size.glb", glb)
            self.assertEqual(codes["segment IN -o out.json"], 2, factor)

    def test_joints_far_away(self):
        for distance in (1e6, 1e20, 3e38):
            glb = self.glb()
            joint = glb.json["skins"][0]["joints"][-1]
            glb.json["nodes"][joint]["translation"] = [distance, 0, 0]
            self.run_all("far.glb", glb)

    def test_transforms_of_zero(self):
        glb = self.glb()
        for node in glb.json["nodes"]:
            node.pop("matrix", None)
            node["scale"] = [0, 0, 0]
        self.run_all("zero.glb", glb)

    def test_weights_that_are_not_numbers(self):
        for value in (math.nan, math.inf, -1.0):
            glb = self.glb()
            at = glb.start(glb.attribute("WEIGHTS_0"))
            for vertex in range(0, 8):
                struct.pack_into("<4f", glb.bytes, at + 16 * vertex, value, 0, 0, 0)
            self.run_all("weights.glb", glb)

    def test_faces_without_an_area(self):
        glb = self.glb()
        primitive = glb.json["meshes"][0]["primitives"][0]
        accessor = glb.json["accessors"][primitive["indices"]]
        size = {5123: 2, 5125: 4}[accessor["componentType"]]
        at = glb.start(primitive["indices"])
        glb.bytes[at:at + size * accessor["count"]] = bytes(size * accessor["count"])
        self.run_all("flat.glb", glb)

    def test_many_copies_in_one_place(self):
        glb = self.glb()
        mesh = glb.json["meshes"][0]
        mesh["primitives"] = [copy.deepcopy(mesh["primitives"][0]) for _ in range(60)]
        self.run_all("copies.glb", glb, [c for c in COMMANDS if "rig.json" not in c])

    def test_many_instances_of_one_mesh(self):
        glb = self.glb()
        node = next(k for k, n in enumerate(glb.json["nodes"]) if "mesh" in n)
        first = len(glb.json["nodes"])
        glb.json["nodes"] += [{"mesh": glb.json["nodes"][node]["mesh"]} for _ in range(20000)]
        glb.json["scenes"][0]["nodes"] += list(range(first, first + 20000))
        self.run_all("instances.glb", glb, ("info IN", "convert IN -o out.glb", "check IN"))

    def test_deep_json(self):
        for name, words in (("c.json", ("info", "bar.glb", "--config")), ("p.json", ("render", "bar.glb", "--quick", "-o", "x.png", "--pose")),
                            ("t.json", ("rig", "bar.glb", "-o", "x.glb", "--template")), ("f.json", ("check", "bar.glb", "--profile"))):
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(b"[" * 200000)
            result = self.sinew(*words, name)
            self.assertEqual(result.returncode, 2, result.stderr[-300:])

    def test_empty_objects(self):
        for key in ("bufferViews", "accessors", "meshes", "skins", "nodes", "animations", "images", "materials"):
            document = {"asset": {"version": "2.0"}, key: [{}]}
            self.run_all("empty.gltf", json.dumps(document).encode(), ("info IN", "convert IN -o out.glb", "check IN"))

    def test_a_skin_without_weights(self):
        self.prepare("convert", "bar.glb", "-o", "bar.rig.json", "--force")
        self.prepare("convert", "bar.glb", "-o", "bar.obj", "--force")
        rig = json.loads(self.read("bar.rig.json"))
        for mesh in rig.get("meshes", []):
            mesh.pop("weights", None)
        with open(os.path.join(self.folder, "in.rig.json"), "w", encoding="utf-8") as file:
            json.dump(rig, file)
        result = self.sinew("convert", "bar.obj", "--rig", "in.rig.json", "-o", "joined.glb")
        self.assertIn(result.returncode, (0, 1, 2), result.stderr)

    def test_a_clip_of_a_billion_seconds(self):
        self.prepare("make", "human", "-o", "human.glb", "--vertices", "800", "--force")
        glb = Glb(self.read("human.glb"))
        for sampler in glb.json["animations"][0]["samplers"]:
            accessor = glb.json["accessors"][sampler["input"]]
            if accessor["max"][0] < 1e8:
                glb.scale(sampler["input"], 1e9 / max(accessor["max"][0], 1e-3), 1)
        self.run_all("long.glb", glb, ("info IN", "check IN", "convert IN -o out.glb", "measure IN"))

    def test_only_standard_output_fails(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            words = [command_case.PROGRAM, "convert", "bar.glb", "-o", "printed.glb", "--force"]
            done = subprocess.run(words, cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("complete", done.stderr)
            none = subprocess.run([command_case.PROGRAM, "info", "bar.glb"], cwd=self.folder, stdout=full, stderr=subprocess.PIPE,
                                  text=True, check=False)
            self.assertEqual(none.returncode, 2, none.stderr)
        self.assertEqual(self.sinew("info", "printed.glb").returncode, 0)


if __name__ == "__main__":
    command_case.main()
