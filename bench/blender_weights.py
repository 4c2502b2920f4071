#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""blender --background --factory-startup --python blender_weights.py -- INPUT.glb OUTPUT.glb ARTIST.glb HEURISTIC JOINT,…

Runs inside Blender. Imports a character, merges vertices at one place within each mesh, and writes it as it is to ARTIST.glb. Then
removes its weights, computes automatic weights for the named joints and writes the character to OUTPUT.glb. Vertices that Blender
leaves without weights go to the first of these joints; the last line printed is their number."""

import sys

import bpy  # pylint: disable=import-error
import numpy as np

if not hasattr(np, "bool"):
    np.bool = bool  # The importer of Blender 3.4 uses the old name.


def skinned_meshes():
    return [o for o in bpy.data.objects if o.type == "MESH" and any(m.type == "ARMATURE" and m.object for m in o.modifiers)]


def merge_vertices(mesh, size):
    bpy.ops.object.select_all(action="DESELECT")
    mesh.select_set(True)
    bpy.context.view_layer.objects.active = mesh
    if mesh.data.shape_keys:
        mesh.shape_key_clear()
    mesh.data.use_auto_smooth = False
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.remove_doubles(threshold=1e-6 * size)
    bpy.ops.object.mode_set(mode="OBJECT")


def bind(armature, meshes):
    for mesh in meshes:
        matrix = mesh.matrix_world.copy()
        mesh.vertex_groups.clear()
        for modifier in list(mesh.modifiers):
            mesh.modifiers.remove(modifier)
        mesh.parent = None
        mesh.matrix_world = matrix
    bpy.ops.object.select_all(action="DESELECT")
    for mesh in meshes:
        mesh.select_set(True)
    armature.select_set(True)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")


def fill_empty(meshes, joint):
    empty = 0
    for mesh in meshes:
        group = mesh.vertex_groups.get(joint) or mesh.vertex_groups.new(name=joint)
        lonely = [v.index for v in mesh.data.vertices if sum(g.weight for g in v.groups) <= 0]
        empty += len(lonely)
        if lonely:
            group.add(lonely, 1.0, "REPLACE")
    return empty


def export(path):
    bpy.ops.export_scene.gltf(filepath=path, export_format="GLB", export_animations=False, export_morph=False, export_materials="NONE",
                              export_texcoords=False, export_normals=False)


def main():
    source, target, artist, heuristic, joints = sys.argv[sys.argv.index("--") + 1:]
    joints = joints.split(",")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=source, bone_heuristic=heuristic)
    meshes = skinned_meshes()
    armature = next(m.object for m in meshes[0].modifiers if m.type == "ARMATURE")
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    for bone in armature.data.bones:
        bone.use_deform = bone.name in joints
    armature.data.pose_position = "REST"
    size = max(max(m.dimensions) for m in meshes)
    for mesh in meshes:
        merge_vertices(mesh, size)
    armature.data.pose_position = "POSE"
    export(artist)
    armature.data.pose_position = "REST"
    bind(armature, meshes)
    empty = fill_empty(meshes, joints[0])
    armature.data.pose_position = "POSE"
    export(target)
    print(f"\nempty {empty}")


main()
