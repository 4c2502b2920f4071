# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""Runs inside Blender: imports a glTF file, plays one of its clips and prints where every vertex is at some times.

blender -b --factory-startup --python evaluate_in_blender.py -- FILE CLIP OUT.json TIME…
"""

import json
import sys

import numpy

# The importer of Blender 3.4 uses names that newer NumPy has dropped.
numpy.bool = bool
numpy.object = object

import bpy  # noqa: E402


def choose_clip(clip):
    """Every animated object, and every shape key block, plays the action of that clip and nothing else."""
    owners = [o for o in bpy.data.objects if o.animation_data]
    owners += [m.shape_keys for m in bpy.data.meshes if m.shape_keys and m.shape_keys.animation_data]
    for owner in owners:
        chosen = None
        for track in owner.animation_data.nla_tracks:
            track.mute = True
            if track.name == clip:
                chosen = track.strips[0].action
        owner.animation_data.action = chosen


def main():
    file, clip, out = sys.argv[sys.argv.index("--") + 1:][:3]
    times = [float(t) for t in sys.argv[sys.argv.index("--") + 4:]]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=file)
    choose_clip(clip)
    scene = bpy.context.scene
    frames = []
    for time in times:
        frame = time * scene.render.fps / scene.render.fps_base
        scene.frame_set(int(frame), subframe=frame - int(frame))
        graph = bpy.context.evaluated_depsgraph_get()
        meshes = {}
        for thing in bpy.data.objects:
            # The importer adds a ball of its own to show bones by; it is in no scene.
            if thing.type != "MESH" or thing.name not in scene.objects:
                continue
            evaluated = thing.evaluated_get(graph)
            mesh = evaluated.to_mesh()
            place = evaluated.matrix_world
            points = []
            for vertex in mesh.vertices:
                p = place @ vertex.co
                points.append([p.x, p.z, -p.y])  # Blender's z is up.
            meshes[thing.name] = points
            evaluated.to_mesh_clear()
        frames.append(meshes)
    with open(out, "w", encoding="utf-8") as stream:
        json.dump(frames, stream)


main()
