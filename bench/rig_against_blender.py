#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""rig_against_blender.py --sinew PROGRAM [--blender PROGRAM] [--work FOLDER] CHARACTER…

Rigs each character anew by `sinew rig --replace` with the clip that fits it, and lets Blender compute automatic weights for the same
mesh and skeleton. Both play the clip in Blender. Prints a Markdown table: edges longer than twice their rest length, summed over ten
frames, by each. Where Blender finds no weights for some vertices, that is said. Vertices at one place are merged first, because a GLB
splits them along seams."""

import argparse
import json
import pathlib
import subprocess
import sys

FRAMES = 10
STRETCHED = 2.0
CLIPS = ("walk", "flap", "fingers", "swim", "slither", "exercise")  # What `--demo-clip auto` chooses from.


def inside_blender(file, out):
    import bpy  # pylint: disable=import-error
    import numpy as np

    if not hasattr(np, "bool"):
        np.bool = bool  # The importer of Blender 3.4 uses the old name.

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=file, bone_heuristic="BLENDER")
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    meshes = [o for o in bpy.data.objects if o.type == "MESH" and any(m.type == "ARMATURE" for m in o.modifiers)]
    bpy.ops.object.select_all(action="DESELECT")
    for mesh in meshes:
        mesh.select_set(True)
    bpy.context.view_layer.objects.active = meshes[0]
    if len(meshes) > 1:
        bpy.ops.object.join()
    ours = bpy.context.view_layer.objects.active
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    size = max(ours.dimensions)
    bpy.ops.mesh.remove_doubles(threshold=1e-6 * size)
    bpy.ops.object.mode_set(mode="OBJECT")

    theirs = ours.copy()
    theirs.data = ours.data.copy()
    bpy.context.collection.objects.link(theirs)
    theirs.vertex_groups.clear()
    for modifier in list(theirs.modifiers):
        theirs.modifiers.remove(modifier)
    armature.data.pose_position = "REST"
    bpy.ops.object.select_all(action="DESELECT")
    theirs.select_set(True)
    armature.select_set(True)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    unweighted = sum(1 for v in theirs.data.vertices if sum(g.weight for g in v.groups) <= 0)
    armature.data.pose_position = "POSE"

    edges = np.array([e.vertices for e in ours.data.edges])

    def lengths(mesh_object):
        evaluated = mesh_object.evaluated_get(bpy.context.evaluated_depsgraph_get())
        points = np.empty(3 * len(evaluated.data.vertices))
        evaluated.data.vertices.foreach_get("co", points)
        points = points.reshape(-1, 3)
        return np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)

    rest_points = np.array([v.co for v in ours.data.vertices])
    rest = np.linalg.norm(rest_points[edges[:, 0]] - rest_points[edges[:, 1]], axis=1)
    valid = rest > 1e-5 * size
    action = next(a for a in bpy.data.actions if a.name.split("_")[0] in CLIPS)
    armature.animation_data.action = action
    first, last = action.frame_range
    counts = {"ours": 0, "theirs": 0}
    for k in range(FRAMES):
        bpy.context.scene.frame_set(int(round(first + (last - first) * k / FRAMES)))
        for name, mesh_object in (("ours", ours), ("theirs", theirs)):
            counts[name] += int((lengths(mesh_object)[valid] > STRETCHED * rest[valid]).sum())
    counts.update(unweighted=unweighted, vertices=len(ours.data.vertices), clip=action.name)
    pathlib.Path(out).write_text(json.dumps(counts), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sinew", required=True)
    parser.add_argument("--blender", default="blender")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("characters", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    print("| character | clip | vertices | Sinew | Blender | note |\n|---|---|---:|---:|---:|---|")
    for character in arguments.characters:
        glb, out = arguments.work / f"{character.stem}_rigged.glb", arguments.work / f"{character.stem}.json"
        out.unlink(missing_ok=True)
        done = subprocess.run([arguments.sinew, "rig", character, "--replace", "--demo-clip", "auto", "-o", glb, "--force", "--quiet"],
                              capture_output=True, text=True, check=False)
        if done.returncode > 1:
            print(f"| {character.stem} | – | – | – | – | {done.stderr.strip().splitlines()[-1]} |", flush=True)
            continue
        subprocess.run([arguments.blender, "-b", "--factory-startup", "--python-exit-code", "1", "--python", __file__, "--", glb, out],
                       capture_output=True, text=True, check=False)
        if not out.exists():
            print(f"| {character.stem} | – | – | – | – | Blender failed |", flush=True)
            continue
        figures = json.loads(out.read_text(encoding="utf-8"))
        note = f"Blender leaves {figures['unweighted']} vertices without weights" if figures["unweighted"] else ""
        print(f"| {character.stem} | {figures['clip']} | {figures['vertices']} | {figures['ours']} | {figures['theirs']} | {note} |",
              flush=True)


if __name__ == "__main__":
    if "--" in sys.argv:
        inside_blender(*sys.argv[sys.argv.index("--") + 1:])
    else:
        main()
