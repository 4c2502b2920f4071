#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""repair_table.py --sinew PROGRAM --makehuman FOLDER

Plants faults in the weights that MakeHuman ships for its body (`makehuman_base.obj`, `rig.mixamo.json`, `weights.mixamo.json`, CC0) and
measures how far repair, `bind --method auto` and `bind --method heat` come back to the artist's weights. Prints a Markdown table. A
cell is: mean half L1 / posed RMS / largest posed distance, both in thousandths of the size / share of rows that bleed or stray. Faults:

- speckle: 2 % of the vertices follow one random joint;
- bleed: the right hand takes 0.4 of the right thigh;
- binary elbow: around the left elbow each vertex follows the stronger joint alone;
- head piece: a patch on top of the head follows the spine;
- cracked soup: every triangle has vertices of its own, and 3 % of the rows are those of another vertex of the triangle's limb.
"""

import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

FAULTS = ("none", "speckle", "bleed", "binary elbow", "head piece", "cracked soup")


def read_body(folder):
    """Positions in metres, triangles of the group `body`, all vertices of groups."""
    positions, faces, groups, group = [], [], {}, None
    with open(os.path.join(folder, "makehuman_base.obj"), encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if not words:
                continue
            if words[0] == "v":
                positions.append([0.1 * float(x) for x in words[1:4]])
            elif words[0] == "g":
                group = words[1]
            elif words[0] == "f":
                corners = [int(w.split("/")[0]) - 1 for w in words[1:]]
                groups.setdefault(group, set()).update(corners)
                if group == "body":
                    faces += [(corners[0], corners[k], corners[k + 1]) for k in range(1, len(corners) - 1)]
    return positions, faces, groups


def joint_place(spot, positions, groups):
    if spot["strategy"] == "CUBE":
        numbers = sorted(groups[spot["cube_name"]])
    elif spot["strategy"] == "VERTEX":
        numbers = [spot["vertex_index"]]
    else:
        numbers = spot["vertex_indices"]
    return [sum(positions[n][k] for n in numbers) / len(numbers) for k in range(3)]


class Character:
    """A skinned body: what a GLB holds."""

    def __init__(self, folder):
        positions, faces, groups = read_body(folder)
        with open(os.path.join(folder, "rig.mixamo.json"), encoding="utf-8") as file:
            bones = json.load(file)["bones"]
        with open(os.path.join(folder, "weights.mixamo.json"), encoding="utf-8") as file:
            weights = json.load(file)["weights"]
        used = sorted({v for face in faces for v in face})
        place = {v: i for i, v in enumerate(used)}
        self.positions = [positions[v] for v in used]
        self.faces = [tuple(place[v] for v in face) for face in faces]
        self.names, self.parents = [], []
        while len(self.names) < len(bones):
            for name, bone in bones.items():
                if name not in self.names and (not bone["parent"] or bone["parent"] in self.names):
                    self.names.append(name)
                    self.parents.append(self.names.index(bone["parent"]) if bone["parent"] else None)
        self.places = [joint_place(bones[name]["head"], positions, groups) for name in self.names]
        self.rows = [{} for _ in used]
        for name, entries in weights.items():
            for vertex, weight in entries:
                if vertex in place and name in self.names:
                    self.rows[place[vertex]][self.names.index(name)] = weight

    def joint(self, word):
        return next(i for i, name in enumerate(self.names) if name.endswith(word))

    def write(self, path):
        count = len(self.positions)
        blob, views, accessors = b"", [], []

        def add(data, component, kind, number, **extra):
            nonlocal blob
            views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(data)})
            accessors.append({"bufferView": len(views) - 1, "componentType": component, "type": kind, "count": number, **extra})
            blob += data + b"\0" * (-len(data) % 4)
            return len(accessors) - 1

        low = [min(p[k] for p in self.positions) for k in range(3)]
        high = [max(p[k] for p in self.positions) for k in range(3)]
        attributes = {"POSITION": add(b"".join(struct.pack("<3f", *p) for p in self.positions), 5126, "VEC3", count, min=low, max=high)}
        sorted_rows = [sorted(row.items(), key=lambda item: -item[1])[:8] for row in self.rows]
        sorted_rows = [[(j, w / sum(x for _, x in row)) for j, w in row] for row in sorted_rows]
        for part in (0, 1):
            joints, shares = b"", b""
            for row in sorted_rows:
                four = (row[4 * part:4 * part + 4] + [(0, 0.0)] * 4)[:4]
                joints += struct.pack("<4H", *(j for j, _ in four))
                shares += struct.pack("<4f", *(w for _, w in four))
            attributes[f"JOINTS_{part}"] = add(joints, 5123, "VEC4", count)
            attributes[f"WEIGHTS_{part}"] = add(shares, 5126, "VEC4", count)
        indices = add(b"".join(struct.pack("<3I", *face) for face in self.faces), 5125, "SCALAR", 3 * len(self.faces))
        matrices = add(b"".join(struct.pack("<16f", 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -p[0], -p[1], -p[2], 1) for p in self.places), 5126,
                       "MAT4", len(self.places))
        nodes = []
        for i, name in enumerate(self.names):
            above = self.places[self.parents[i]] if self.parents[i] is not None else [0, 0, 0]
            nodes.append({"name": name, "translation": [a - b for a, b in zip(self.places[i], above)]})
            children = [c for c, parent in enumerate(self.parents) if parent == i]
            if children:
                nodes[-1]["children"] = children
        nodes.append({"name": "body", "mesh": 0, "skin": 0})
        roots = [i for i, parent in enumerate(self.parents) if parent is None]
        document = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": roots + [len(nodes) - 1]}], "nodes": nodes,
                    "meshes": [{"primitives": [{"attributes": attributes, "indices": indices}]}],
                    "skins": [{"joints": list(range(len(self.names))), "inverseBindMatrices": matrices}],
                    "buffers": [{"byteLength": len(blob)}], "bufferViews": views, "accessors": accessors}
        text = json.dumps(document).encode()
        text += b" " * (-len(text) % 4)
        with open(path, "wb") as file:
            file.write(struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(blob), len(text), 0x4E4F534A) + text)
            file.write(struct.pack("<II", len(blob), 0x004E4942) + blob)


def strongest(row):
    return max(row, key=row.get)


def plant(body, fault):
    """Changes the rows; returns how many."""
    random.seed(7)
    before = [dict(row) for row in body.rows]
    if fault == "speckle":
        for v in random.sample(range(len(body.rows)), len(body.rows) // 50):
            body.rows[v] = {random.randrange(len(body.names)): 1.0}
    elif fault == "bleed":
        thigh = body.joint("RightUpLeg")
        for row in body.rows:
            if "RightHand" in body.names[strongest(row)]:
                scale = 0.6 / sum(row.values())
                for joint in row:
                    row[joint] *= scale
                row[thigh] = row.get(thigh, 0) + 0.4
    elif fault == "binary elbow":
        pair = {body.joint("LeftArm"), body.joint("LeftForeArm")}
        for v, row in enumerate(body.rows):
            if pair <= set(row):
                body.rows[v] = {strongest(row): 1.0}
    elif fault == "head piece":
        top = max(range(len(body.rows)), key=lambda v: body.positions[v][1])
        spine = body.joint("Spine")
        for v, row in enumerate(body.rows):
            if sum((a - b) ** 2 for a, b in zip(body.positions[v], body.positions[top])) < 0.05 ** 2:
                body.rows[v] = {spine: 1.0}
    elif fault == "cracked soup":
        rows = [random.choice([body.rows[v] for v in face]) if random.random() < 0.03 else body.rows[v] for face in body.faces for v in face]
        before = [body.rows[v] for face in body.faces for v in face]
        body.positions = [body.positions[v] for face in body.faces for v in face]
        body.faces = [(3 * f, 3 * f + 1, 3 * f + 2) for f in range(len(body.faces))]
        body.rows = rows
    return sum(a != b for a, b in zip(before, body.rows))


def sinew(options, *words):
    result = subprocess.run([options.sinew, *words], capture_output=True, text=True, timeout=300, check=False)
    if result.returncode != 0:
        raise SystemExit(result.stderr)
    return json.loads(result.stdout)


def figures(options, artist, path, folder, rows):
    found = sinew(options, "measure", artist, "--against", path, "--no-intersections", "--planes", "1", "--json")["metrics"]["agreement"]
    faults = sinew(options, "weights", path, "--repair", "-o", os.path.join(folder, "again.glb"), "--force", "--json")
    faults = faults["metrics"]["operations"][0]["found"]
    bleeding = 100 * (faults["bleeding"] + faults["stray"]) / rows
    posed = found["posed"]
    most = posed["max_m"] * posed["rms_rel"] / posed["rms_m"] if posed["rms_m"] > 0 else 0
    return (f"{found['mean_half_l1']:.4f} / {1000 * posed['rms_rel']:.2f} / {1000 * most:.0f} / "
            f"{bleeding:.2f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sinew", required=True)
    parser.add_argument("--makehuman", required=True)
    options = parser.parse_args()
    print("| fault | rows planted | before | repair | auto | heat |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="sinew-repair-") as folder:
        for fault in FAULTS:
            body, artist = Character(options.makehuman), Character(options.makehuman)
            planted = plant(body, fault)
            if fault == "cracked soup":
                artist.rows = [artist.rows[v] for face in artist.faces for v in face]
                artist.positions, artist.faces = body.positions, body.faces
            paths = {name: os.path.join(folder, f"{name}.glb") for name in ("artist", "before", "repair", "auto", "heat")}
            artist.write(paths["artist"])
            body.write(paths["before"])
            sinew(options, "weights", paths["before"], "--repair", "-o", paths["repair"], "--force", "--json")
            for method in ("auto", "heat"):
                sinew(options, "bind", paths["before"], "--method", method, "-o", paths[method], "--force", "--json")
            cells = [figures(options, paths["artist"], paths[name], folder, len(body.rows)) for name in ("before", "repair", "auto", "heat")]
            print(f"| {fault} | {planted} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
