# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

# A post-import script for Godot 3: gives every imported character whose file has drivers a node that moves its helper
# joints. README.md shows how to set it.
tool
extends EditorScenePostImport

const SinewDrivers = preload("sinew_drivers.gd")


func post_import(scene: Object) -> Object:
	var path := get_source_file()
	if path.get_extension().to_lower() != "glb":
		return scene
	var drivers: Array = SinewDrivers.read_drivers(path)
	if drivers.empty():
		return scene
	for skeleton in _skeletons(scene):
		var names := {}
		for bone in skeleton.get_bone_count():
			names[SinewDrivers._plain(skeleton.get_bone_name(bone))] = true
		var own := []
		for item in drivers:
			if names.has(SinewDrivers._plain(item.name)):
				own.append(item)
		if own.empty():
			continue
		var node := Node.new()
		node.name = "SinewDrivers"
		node.set_script(SinewDrivers)
		node.drivers = own
		skeleton.add_child(node)
		node.owner = scene
	return scene


func _skeletons(node: Node) -> Array:
	var result := [node] if node is Skeleton else []
	for child in node.get_children():
		result += _skeletons(child)
	return result
