# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""Does Sinew read an FBX file as Blender does?

run_fbx.py --sinew PROGRAM --blender PROGRAM --work FOLDER FILE…

Compares the vertices, polygons and weights of every mesh and, at three times of every clip, where its vertices are. Clips are played by
`sinew deform` with linear blending. Prints one line per file and fails when vertices differ by more than 1e-3 of the size, weights by more
than 1e-5, or counts at all. Files that Blender cannot open are named and left out. The three times are whole frames, because Blender makes
straight lines of curves.
"""

import argparse
import json
import pathlib
import struct
import subprocess
import sys

import numpy as np

FPS = 24
TOLERANCE = 1e-3
WEIGHT_TOLERANCE = 1e-5


def run(*command, may_fail=False):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0 and not may_fail:
        sys.exit(f"{' '.join(map(str, command))} gave {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout if done.returncode == 0 else None


def read_cache(path):
    data = path.read_bytes()
    points, samples = struct.unpack("<i", data[16:20])[0], struct.unpack("<i", data[28:32])[0]
    return np.frombuffer(data[32:], "<f4").reshape(samples, points, 3)


def read_obj(path):
    points, polygons = [], []
    for line in path.read_text().splitlines():
        if line.startswith("v "):
            points.append([float(x) for x in line.split()[1:4]])
        elif line.startswith("f "):
            polygons.append([int(corner.split("/")[0]) - 1 for corner in line.split()[1:]])
    return np.array(points), polygons


def ours(arguments, file, name):
    """The mesh, weights and clips that Sinew reads, or nothing if it refuses the file."""
    text = run(arguments.sinew, "info", file, "--json", "--full", may_fail=True)
    if text is None:
        return None
    info = json.loads(text)["metrics"]
    result = {"parts": info["parts"], "weights": None, "clips": []}
    obj = arguments.work / f"{name}.obj"
    run(arguments.sinew, "convert", file, "-o", obj, "--force", "--quiet")
    result["points"], result["polygons"] = read_obj(obj)
    if info["skins"]:
        rig = arguments.work / f"{name}.rig.json"
        # A rig file holds no negative weights, which some files have.
        if run(arguments.sinew, "convert", file, "-o", rig, "--force", "--quiet", may_fail=True) is not None:
            result["weights"] = json.loads(rig.read_text())
    for number, clip in enumerate(info["clips"]):
        cache = arguments.work / f"{name}_{number}.pc2"
        run(arguments.sinew, "deform", file, "--clip", number, "--method", "lbs", "--fps", FPS, "--caches", "whole", "-o", cache, "--force", "--quiet")
        frames = read_cache(cache)
        chosen = sorted({0, len(frames) // 3, 2 * len(frames) // 3})
        result["clips"].append({"name": clip["name"], "frames": frames[chosen], "times": [f / FPS for f in chosen]})
    return result


def parts_with_ranges(parts):
    at = 0
    for part in parts:
        yield part["name"], at, at + part["render_vertices"]
        at += part["render_vertices"]


def worst_distance(mine, theirs, meshes, parts):
    """In metres, over all parts that Blender has. Vertices of a skin that no joint moves follow the mesh object in Blender only."""
    worst = 0.0
    for name, begin, end in parts_with_ranges(parts):
        if name in theirs:
            apart = np.abs(np.array(theirs[name]).reshape(-1, 3) - mine[begin:end])
            moved = np.array([bool(row) for row in meshes[name]["weights"]])
            worst = max(worst, float(apart[moved if moved.any() else slice(None)].max(initial=0)))
    return worst


def rows_of(mesh):
    """The influences of every vertex, as pairs of joint and weight."""
    rows = [[] for _ in range(mesh["vertices"])]
    for vertex, joint, weight in zip(*(mesh.get("weights", {}).get(key, []) for key in ("vertex", "joint", "weight"))):
        rows[vertex].append((joint, weight))
    return rows


def worst_weight(rig, meshes, parts):
    worst = 0.0
    names = [joint["name"] for joint in rig["joints"]]
    for (name, _, _), mesh in zip(parts_with_ranges(parts), rig["meshes"]):
        if not any(meshes.get(name, {}).get("weights", [])):
            continue
        for mine, theirs in zip(rows_of(mesh), meshes[name]["weights"]):
            a = {}
            for joint, weight in mine:
                a[names[joint]] = a.get(names[joint], 0) + weight
            b = dict(theirs)
            # Blender has no weight above 1.
            worst = max([worst] + [abs(min(a.get(k, 0), 1) - b.get(k, 0)) for k in a.keys() | b.keys()])
    return worst


def polygons_equal(mine, meshes, parts):
    face = 0
    for (name, begin, _), part in zip(parts_with_ranges(parts), parts):
        here = [[v - begin for v in polygon] for polygon in mine[face:face + part["faces"]]]
        face += part["faces"]
        if name in meshes:
            theirs = meshes[name]["polygons"]
            # Blender leaves out polygons that use an edge twice and may begin at another corner.
            if len(here) == len(theirs) and any(sorted(a) != sorted(b) for a, b in zip(here, theirs)):
                return "in another order"
            if len(here) != len(theirs):
                return f"{len(here)} and {len(theirs)}"
    return "equal"


def compare(name, mine, theirs, failures):
    size = float(np.linalg.norm(mine["points"].max(axis=0) - mine["points"].min(axis=0)))
    missing = [part["name"] for part in mine["parts"] if part["name"] not in theirs["meshes"]]
    counts = all(len(theirs["rest"][n]) == e - b for n, b, e in parts_with_ranges(mine["parts"]) if n in theirs["rest"])
    line = f"{name}: {len(mine['points'])} vertices"
    if not counts:
        failures.append(f"{name}: the numbers of vertices differ")
        print(line, {n: (e - b, len(theirs["rest"][n])) for n, b, e in parts_with_ranges(mine["parts"]) if n in theirs["rest"]})
        return
    polygons = polygons_equal(mine["polygons"], theirs["meshes"], mine["parts"])
    line += f", polygons {polygons}"
    if polygons != "equal":
        failures.append(f"{name}: polygons differ: {polygons}")
    if mine["weights"]:
        weight = worst_weight(mine["weights"], theirs["meshes"], mine["parts"])
        line += f", weights {weight:.1e}"
        if weight > WEIGHT_TOLERANCE:
            failures.append(f"{name}: weights differ by {weight:.1e}")
    rest = worst_distance(mine["points"], theirs["rest"], theirs["meshes"], mine["parts"]) / size
    line += f", rest {rest:.1e}"
    worst = 0.0
    for clip, reply in zip(mine["clips"], theirs["clips"]):
        if not reply["actions"]:
            line += f" [Blender has no action for {clip['name']}]"
            continue
        for frame, meshes in zip(clip["frames"], reply["frames"]):
            apart = worst_distance(frame, meshes, theirs["meshes"], mine["parts"]) / size
            worst = max(worst, apart)
            if apart > TOLERANCE:
                line += f" [{clip['name']} {apart:.1e}]"
    if mine["clips"]:
        line += f", {len(mine['clips'])} clips {worst:.1e}"
    if worst > TOLERANCE:
        failures.append(f"{name}: clips differ by {worst:.1e} of the size")
    print(line + (f" (parts that Blender names otherwise: {', '.join(missing)})" if missing else ""))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sinew", required=True)
    parser.add_argument("--blender", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    requests, replies = [], []
    for number, file in enumerate(arguments.files):
        name = f"{number}_{file.stem}"
        mine = ours(arguments, file, name)
        if mine is None:
            print(f"{file.name}: Sinew refuses it")
            continue
        out = arguments.work / f"{name}_blender.json"
        requests.append({"file": str(file), "out": str(out),
                         "clips": [{"name": c["name"], "times": c["times"]} for c in mine["clips"]]})
        replies.append((file.name, mine, out))
    (arguments.work / "requests.json").write_text(json.dumps(requests))
    run(arguments.blender, "-b", "--factory-startup", "--python-exit-code", 1, "--python",
        pathlib.Path(__file__).parent / "fbx_in_blender.py", "--", arguments.work / "requests.json")
    failures = []
    for name, mine, out in replies:
        theirs = json.loads(out.read_text())
        if "problem" in theirs:
            print(f"{name}: Blender cannot open it: {theirs['problem'][:100]}")
        else:
            compare(name, mine, theirs, failures)
    if failures:
        sys.exit("\n".join(failures))


main()
