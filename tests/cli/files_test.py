# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""Which files the program reads for a model, and which it writes: nothing outside, nothing replaced, nothing left over."""

import json
import os
import shutil
import subprocess
import time

import command_case
from command_case import CommandCase

PICTURE = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360f8cf50000003"
                        "8301c0e2d8cd5d0000000049454e44ae426082")
SECRET = b"top-secret"


class Files(CommandCase):
    COMMAND = "convert"

    def setUp(self):
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
        for name in ("in", "out", "secret"):
            os.mkdir(os.path.join(self.folder, name))
        self.write("secret/key.txt", SECRET)
        self.write("secret/photo.png", PICTURE + SECRET)

    def write(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    def everything_written(self):
        data = b""
        for folder, _, names in os.walk(os.path.join(self.folder, "out")):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    data += file.read()
        return data

    def obj(self, texture, library="m.mtl"):
        self.write("in/m.mtl", f"newmtl a\nmap_Kd {texture}\n")
        self.write("in/x.obj", f"mtllib {library}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n")

    def test_textures_outside_are_not_read_unless_allowed(self):
        self.obj("../secret/photo.png")
        result = self.expect(0, "in/x.obj", "-o", "out/x.glb")
        self.assertIn("lies outside the folder", result.stderr)
        self.assertIn("allow-outside", result.stderr)
        self.assertNotIn(SECRET, self.everything_written())
        self.expect(0, "in/x.obj", "-o", "out/y.glb", "--allow-outside")
        self.assertIn(SECRET, self.everything_written())

    def test_a_folder_of_textures_is_searched_and_nothing_beside_it(self):
        os.makedirs(os.path.join(self.folder, "maps/deep"))
        self.write("maps/deep/Photo.PNG", PICTURE + SECRET)
        self.obj("C:\\\\work\\\\photo.png")
        self.expect(0, "in/x.obj", "-o", "out/x.glb", "--textures", "maps")
        self.assertIn(SECRET, self.everything_written())
        os.remove(os.path.join(self.folder, "out/x.glb"))
        os.remove(os.path.join(self.folder, "maps/deep/Photo.PNG"))
        os.symlink("../../secret/photo.png", os.path.join(self.folder, "maps/deep/photo.png"))
        for name in ("photo.png", "../secret/photo.png", "deep/photo.png"):
            self.obj(name)
            result = self.expect(0, "in/x.obj", "-o", "out/y.glb", "--textures", "maps", "--force")
            self.assertNotIn(SECRET, self.everything_written())
            self.assertIn("photo.png", result.stderr)
        self.assertIn("not a folder", self.expect(2, "in/x.obj", "-o", "out/z.glb", "--textures", "in/x.obj").stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "out/z.glb")))

    def test_links_are_resolved_first(self):
        os.symlink("../secret/photo.png", os.path.join(self.folder, "in/link.png"))
        self.obj("link.png")
        self.expect(0, "in/x.obj", "-o", "out/x.glb")
        self.assertNotIn(SECRET, self.everything_written())
        os.symlink("../secret", os.path.join(self.folder, "in/folder"))
        self.obj("folder/photo.png")
        self.expect(0, "in/x.obj", "-o", "out/y.glb")
        self.assertNotIn(SECRET, self.everything_written())

    def test_a_texture_beside_the_file_is_read(self):
        self.write("in/photo.png", PICTURE + SECRET)
        self.obj("photo.png")
        self.expect(0, "in/x.obj", "-o", "out/x.glb")
        self.assertIn(SECRET, self.everything_written())

    def test_a_material_library_outside_is_not_read(self):
        self.write("secret/m.mtl", "newmtl a\nKd 0.125 0.25 0.5\n")
        self.obj("none.png", library="../secret/m.mtl")
        os.unlink(os.path.join(self.folder, "in/m.mtl"))
        self.assertIn("lies outside", self.expect(0, "in/x.obj", "-o", "out/x.glb").stderr)

    def gltf(self, uri, buffer="x.bin"):
        subprocess.run([command_case.PROGRAM, "make", "bar", "-o", "in/x.gltf", "--force", "--quiet"], cwd=self.folder, check=True)
        path = os.path.join(self.folder, "in/x.gltf")
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        document["images"] = [{"uri": uri}]
        document["textures"] = [{"source": 0}]
        document["materials"][0].setdefault("pbrMetallicRoughness", {})["baseColorTexture"] = {"index": 0}
        if buffer != "x.bin":
            os.makedirs(os.path.dirname(os.path.join(self.folder, "in", buffer)) or ".", exist_ok=True)
            os.rename(os.path.join(self.folder, "in/x.bin"), os.path.join(self.folder, "in", buffer))
            document["buffers"][0]["uri"] = buffer
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)

    def test_only_pictures_with_plain_names_are_copied_with_a_document(self):
        os.makedirs(os.path.join(self.folder, "in/.config/autostart"))
        self.write("in/.config/autostart/evil.desktop", SECRET)
        self.gltf(".config/autostart/evil.desktop")
        self.expect(0, "in/x.gltf", "-o", "out/x.gltf")
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, "out"))), ["x.bin", "x.gltf"])
        self.write("in/a.png", PICTURE)
        self.gltf("a.png")
        self.expect(0, "in/x.gltf", "-o", "out/y.gltf", "--force")
        self.assertIn("a.png", os.listdir(os.path.join(self.folder, "out")))

    def test_a_buffer_with_a_strange_name_is_written_under_a_plain_one(self):
        self.write("in/a.png", PICTURE)
        self.gltf("a.png", buffer="evil.desktop")
        self.expect(0, "in/x.gltf", "-o", "out/x.gltf")
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, "out"))), ["a.png", "x.bin", "x.gltf"])
        subprocess.run([command_case.PROGRAM, "info", "out/x.gltf", "--quiet"], cwd=self.folder, check=True)

    def test_a_link_that_leads_nowhere_is_not_replaced(self):
        subprocess.run([command_case.PROGRAM, "make", "bar", "-o", "bar.glb", "--quiet"], cwd=self.folder, check=True)
        os.symlink("nowhere", os.path.join(self.folder, "out/x.glb"))
        self.assertIn("already exists", self.expect(2, "bar.glb", "-o", "out/x.glb").stderr)
        self.assertTrue(os.path.islink(os.path.join(self.folder, "out/x.glb")))

    def test_a_file_that_appears_meanwhile_is_not_replaced(self):
        subprocess.run([command_case.PROGRAM, "make", "human", "-o", "big.glb", "--vertices", "12000", "--quiet"], cwd=self.folder, check=True)
        target = os.path.join(self.folder, "out/x.glb")
        run = subprocess.Popen([command_case.PROGRAM, "rig", "big.glb", "--replace", "-o", "out/x.glb", "--quiet"], cwd=self.folder,
                               stderr=subprocess.PIPE, text=True)
        time.sleep(0.3)
        self.write("out/x.glb", b"mine")
        _, errors = run.communicate()
        self.assertEqual(run.returncode, 2, errors)
        self.assertIn("appeared after this job began", errors)
        self.assertEqual(self.read("out/x.glb"), b"mine")
        self.assertEqual(os.listdir(os.path.join(self.folder, "out")), ["x.glb"])

    def test_the_same_document_written_twice_has_the_same_bytes(self):
        for layers in ("5", "8", "8"):
            subprocess.run([command_case.PROGRAM, "make", "bar", "--layers", layers, "-o", "out/x.gltf", "--force", "--quiet"],
                           cwd=self.folder, check=True)
            names, document = sorted(os.listdir(os.path.join(self.folder, "out"))), self.read("out/x.gltf")
            self.assertEqual(len(names), 2, names)
        subprocess.run([command_case.PROGRAM, "make", "bar", "--layers", "8", "-o", "out/x.gltf", "--force", "--quiet"], cwd=self.folder, check=True)
        self.assertEqual(self.read("out/x.gltf"), document)

    def test_a_device_is_not_a_file_of_options(self):
        result = self.sinew("info", "x.glb", "--config", "/dev/zero")
        self.assertEqual(result.returncode, 2)
        self.assertIn("is a device", result.stderr)


if __name__ == "__main__":
    command_case.main()
