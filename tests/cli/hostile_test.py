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
import random
import resource
import struct
import subprocess
import zlib

import command_case
from command_case import CommandCase

SANITIZED = bool(os.environ.get("SINEW_SANITIZED"))
COMMANDS = ("info IN --deep", "check IN", "convert IN -o out.glb", "convert IN -o out.gltf", "convert IN -o out.rig.json",
            "weights IN --repair --fill --smooth 2 -o out.glb", "bind IN --method segment -o out.glb",
            "bind IN --method heat -o out.glb", "measure IN", "segment IN -o out.json",
            "deform IN --method pbd --clip bend --frames 0:1 -o out.pc2", "render IN --quick --size 64x64 -o out.png")


# A few for kinds of files that were a matter of one stage.
SURFACE_COMMANDS = ("info IN --deep", "convert IN -o out.glb", "bind IN --method voxel -o out.glb", "measure IN", "segment IN -o out.json",
                    "helpers IN --twist Joint1 --bend Joint1 -o out.glb", "transfer bar.glb IN -o out.glb",
                    "deform IN --method pbd --clip bend --frames 0:1 -o out.pc2")


def png_of_zeros(width, height):
    """A picture of many pixels in few bytes."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(9)
    row = bytes(1 + (width + 7) // 8)
    body = b"".join(packer.compress(row * 100) for _ in range(height // 100)) + packer.flush()
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)) + chunk(b"IDAT", body) +
            chunk(b"IEND", b""))


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

    def test_two_hundred_copies_in_one_place(self):
        glb = self.glb()
        mesh = glb.json["meshes"][0]
        mesh["primitives"] = [copy.deepcopy(mesh["primitives"][0]) for _ in range(200)]
        self.run_all("many.glb", glb, ("check IN", "measure IN --rom", "bind IN --method voxel -o out.glb",
                                       "deform IN --method pbd --clip bend --frames 0:1 -o out.pc2"))

    def test_loose_triangles(self):
        chance = random.Random(1)
        text = ""
        for _ in range(200):
            center = [chance.random() for _ in range(3)]
            for _ in range(3):
                text += "v " + " ".join(f"{x + chance.random() - 0.5:.5f}" for x in center) + "\n"
            text += "f -3 -2 -1\n"
        self.run_all("soup.obj", text.encode(), ("info IN --deep", "rig IN -o out.glb"))
        report = json.loads(self.sinew("rig", "soup.obj", "-o", "soup.glb", "--json").stdout)
        self.assertIn("voxel.coarse", [finding["code"] for finding in report["findings"]])
        self.run_all("soup.glb", self.read("soup.glb"), ("bind IN --method voxel -o out.glb", "bind IN -o out.glb", "measure IN",
                                                         "weights IN --repair --fill --smooth 2 -o out.glb", "check IN"))

    def test_a_thousand_loose_triangles_in_one_another(self):
        chance = random.Random(2)
        glb = self.glb()
        at = len(glb.bytes)
        corners = []
        for _ in range(1000):
            center = [chance.random() for _ in range(3)]
            corners += [[x + chance.random() - 0.5 for x in center] for _ in range(3)]
        joints = b"".join(struct.pack("<4B", k % 3, 0, 0, 0) for k in range(3000))
        for data in (b"".join(struct.pack("<3f", *p) for p in corners), joints, struct.pack("<4f", 1, 0, 0, 0) * 3000):
            glb.bytes += data
            glb.json["bufferViews"].append({"buffer": 0, "byteOffset": at, "byteLength": len(data)})
            at += len(data)
        glb.json["buffers"][0]["byteLength"] = at
        view, first = len(glb.json["bufferViews"]) - 3, len(glb.json["accessors"])
        for k, (component, kind) in enumerate(((5126, "VEC3"), (5121, "VEC4"), (5126, "VEC4"))):
            glb.json["accessors"].append({"bufferView": view + k, "componentType": component, "type": kind, "count": 3000})
        glb.json["meshes"][0]["primitives"] = [{"attributes": {"POSITION": first, "JOINTS_0": first + 1, "WEIGHTS_0": first + 2}}]
        self.run_all("dense.glb", glb, ("bind IN --method voxel -o out.glb", "fit-joints IN -o out.glb"))
        report = json.loads(self.sinew("bind", "dense.glb", "--method", "voxel", "-o", "bound.glb", "--json").stdout)
        self.assertIn("voxel.unguarded", [finding["code"] for finding in report["findings"]])

    def test_a_file_without_scenes_shows_all_its_nodes(self):
        for scenes, scene in ((None, None), ([], None), ([], 5), ([], -1)):
            glb = self.glb()
            glb.json.pop("scenes")
            glb.json.pop("scene", None)
            if scenes is not None:
                glb.json["scenes"] = scenes
            if scene is not None:
                glb.json["scene"] = scene
            self.run_all("unseen.glb", glb, ("skeleton IN --add-root -o out.glb", "rig IN --replace -o out.glb",
                                             "rest IN --to bind -o out.glb"))
            for words in (("skeleton", "--add-root"), ("convert", "--height", "3")):
                self.prepare(words[0], "unseen.glb", *words[1:], "-o", "shown.glb", "--force")
                shown = Glb(self.read("shown.glb")).json
                seen = list(shown["scenes"][shown["scene"]]["nodes"]) if shown.get("scenes") else list(range(len(shown["nodes"])))
                for node in seen:
                    seen += shown["nodes"][node].get("children", [])
                self.assertEqual([n for n, node in enumerate(shown["nodes"]) if "mesh" in node and n not in seen], [], words)

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

        self.run_all("long.glb", glb, ("helpers IN --twist left_forearm -o out.glb",))

    def test_scales_of_joints(self):
        for factor in (1e6, 1e10, 1e20):
            glb = self.glb()
            for joint in glb.json["skins"][0]["joints"]:
                glb.json["nodes"][joint]["scale"] = [factor] * 3
            self.run_all("scale.glb", glb, SURFACE_COMMANDS)

    def test_a_mesh_far_smaller_than_its_skeleton(self):
        for factor in (1e-10, 1e-6):
            glb = self.glb()
            glb.scale(glb.attribute("POSITION"), factor)
            self.run_all("small.glb", glb, SURFACE_COMMANDS)

    def test_some_vertices_far_away_and_denormal_numbers(self):
        for value in (1e38, 1e-42):
            glb = self.glb()
            at = glb.start(glb.attribute("POSITION"))
            count = glb.json["accessors"][glb.attribute("POSITION")]["count"]
            for vertex in range(0, count, 2):
                struct.pack_into("<3f", glb.bytes, at + 12 * vertex, value, value, value)
            glb.json["accessors"][glb.attribute("POSITION")].pop("min", None)
            glb.json["accessors"][glb.attribute("POSITION")].pop("max", None)
            self.run_all("mixed.glb", glb, SURFACE_COMMANDS)

    def test_a_rotation_of_zero_beside_a_huge_translation(self):
        glb = self.glb()
        joint = glb.json["skins"][0]["joints"][1]
        glb.json["nodes"][joint].update({"translation": [-1, -1, 3.4e38], "rotation": [0, 0, 0, 0]})
        self.run_all("turned.glb", glb, SURFACE_COMMANDS)

    def test_vertices_without_data(self):
        document = {"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
                    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
                    "accessors": [{"componentType": 5126, "type": "VEC3", "count": 200000000}]}
        codes = self.run_all("hollow.gltf", json.dumps(document).encode(), ("info IN", "convert IN -o out.glb", "check IN"))
        self.assertEqual(set(codes.values()), {2})

    def test_a_picture_of_many_pixels(self):
        glb = self.glb()
        at = len(glb.bytes)
        picture = png_of_zeros(20000, 20000)
        glb.bytes += picture
        glb.json["buffers"][0]["byteLength"] = len(glb.bytes)
        glb.json["bufferViews"].append({"buffer": 0, "byteOffset": at, "byteLength": len(picture)})
        glb.json["images"] = [{"bufferView": len(glb.json["bufferViews"]) - 1, "mimeType": "image/png"}]
        glb.json["textures"] = [{"source": 0}]
        glb.json["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
        glb.json["meshes"][0]["primitives"][0]["material"] = 0
        self.run_all("bomb.glb", glb, ("info IN", "convert IN -o out.glb", "render IN --quick --size 64x64 -o out.png"))

    def test_thousands_of_joints(self):
        glb = self.glb()
        nodes, skin = glb.json["nodes"], glb.json["skins"][0]
        root = skin["joints"][0]
        first = len(nodes)
        nodes += [{"name": f"J{k}", "translation": [math.cos(k), 4, math.sin(k)]} for k in range(5000)]
        nodes[root].setdefault("children", []).extend(range(first, first + 5000))
        skin["joints"] += list(range(first, first + 5000))
        skin.pop("inverseBindMatrices", None)
        self.run_all("star.glb", glb, ("info IN", "weights IN --repair --fill --smooth 2 -o out.glb", "check IN"))

    def test_a_box_is_rigged_or_refused(self):
        box = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1))
        box += "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"
        self.run_all("box.obj", box.encode(), ("rig IN -o out.glb",))

    def test_joints_at_positions_that_no_file_can_hold(self):
        self.prepare("make", "human", "-o", "bare.obj", "--vertices", "800", "--force")
        for position in ([0, 1, 1e308], [0, 1, 3.5e38]):
            with open(os.path.join(self.folder, "at.json"), "w", encoding="utf-8") as file:
                json.dump({"Hips": position}, file)
            result = self.sinew("rig", "bare.obj", "--joint-positions", "at.json", "-o", "placed.glb")
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertFalse(os.path.exists(os.path.join(self.folder, "placed.glb")))

    def test_numbers_in_a_rig_file_that_no_format_can_hold(self):
        self.prepare("convert", "bar.glb", "-o", "bar.rig.json", "--force")
        self.prepare("convert", "bar.glb", "-o", "bar.obj", "--force")
        for value in ("1e308", "1e39", "-1e400"):
            text = self.read("bar.rig.json").decode()
            rig = json.loads(text)
            rig["joints"][1]["translation"][1] = "HERE"
            with open(os.path.join(self.folder, "bad.rig.json"), "w", encoding="utf-8") as file:
                file.write(json.dumps(rig).replace('"HERE"', value))
            result = self.sinew("convert", "bar.obj", "--rig", "bad.rig.json", "-o", "joined.glb")
            self.assertEqual(result.returncode, 2, f"{value}: {result.stderr}")
            self.assertFalse(os.path.exists(os.path.join(self.folder, "joined.glb")))

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
