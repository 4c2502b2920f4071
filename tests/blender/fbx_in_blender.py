# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""Runs inside Blender: imports FBX files and writes what it finds in them.

blender -b --factory-startup --python fbx_in_blender.py -- REQUESTS.json

REQUESTS is a list of {"file", "out", "clips": [{"name", "times"}]}; times are in seconds from the start of the stack. OUT gets, per mesh
object, its vertices at rest, the size of every polygon, the weights by vertex group and, per clip and time, its vertices.
"""

import json
import sys

import bpy
from io_scene_fbx import parse_fbx

TICKS_PER_SECOND = 46186158000


def starts_of(path):
    """When each animation stack starts on the file's time line, in seconds, by name."""
    root, _ = parse_fbx.parse(path)
    objects = next(e for e in root.elems if e.id == b"Objects")
    starts = {}
    for stack in objects.elems:
        if stack.id != b"AnimationStack":
            continue
        name = stack.props[1].split(b"\0\1")[0].decode("utf-8", "replace")
        properties = [p for e in stack.elems if e.id == b"Properties70" for p in e.elems]
        starts[name] = next((p.props[4] / TICKS_PER_SECOND for p in properties if p.props[0] == b"LocalStart"), 0.0)
    return starts


def vertices_of(thing, graph):
    evaluated = thing.evaluated_get(graph)
    mesh = evaluated.to_mesh()
    place = evaluated.matrix_world
    points = []
    for vertex in mesh.vertices:
        p = place @ vertex.co
        points.append([p.x, p.z, -p.y])  # Blender's z is up.
    evaluated.to_mesh_clear()
    return points


def meshes_now(scene):
    graph = bpy.context.evaluated_depsgraph_get()
    return {thing.name: vertices_of(thing, graph) for thing in scene.objects if thing.type == "MESH"}


def choose(clip):
    """Every object plays its action of that stack. The importer names actions OBJECT|STACK or OBJECT|STACK|LAYER and cuts long names."""
    owners = [o for o in bpy.data.objects if o.animation_data]
    owners += [m.shape_keys for m in bpy.data.meshes if m.shape_keys and m.shape_keys.animation_data]
    chosen = 0
    for owner in owners:
        wanted = f"{owner.name}|{clip}"[:63]
        action = next((a for a in bpy.data.actions if a.name == wanted or a.name.startswith(wanted + "|")), None)
        owner.animation_data.action = action
        chosen += action is not None
    return chosen


def read(request):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.fbx(filepath=request["file"], use_custom_normals=False, use_image_search=False)
    scene = bpy.context.scene
    result = {"meshes": {}, "clips": []}
    for thing in scene.objects:
        if thing.type != "MESH":
            continue
        groups = {g.index: g.name for g in thing.vertex_groups}
        weights = [[[groups[g.group], g.weight] for g in v.groups if g.weight > 0] for v in thing.data.vertices]
        result["meshes"][thing.name] = {
            "polygons": [list(p.vertices) for p in thing.data.polygons],
            "weights": weights,
        }
    rate = scene.render.fps / scene.render.fps_base
    starts = starts_of(request["file"])
    result["rest"] = meshes_now(scene)
    for clip in request["clips"]:
        frames = []
        chosen = choose(clip["name"])
        for time in clip["times"]:
            frame = (starts.get(clip["name"], 0) + time) * rate + 1  # The importer's offset.
            scene.frame_set(int(frame), subframe=frame - int(frame))
            frames.append(meshes_now(scene))
        result["clips"].append({"actions": chosen, "rate": rate, "frames": frames})
    with open(request["out"], "w", encoding="utf-8") as stream:
        json.dump(result, stream)


def main():
    with open(sys.argv[sys.argv.index("--") + 1], encoding="utf-8") as stream:
        requests = json.load(stream)
    for request in requests:
        try:
            read(request)
        except Exception as problem:  # One file that Blender cannot open must not hide the others.
            with open(request["out"], "w", encoding="utf-8") as stream:
                json.dump({"problem": str(problem)}, stream)


main()
