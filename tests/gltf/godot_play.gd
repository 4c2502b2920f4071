# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

# godot3-server --path PROJECT --script godot_play.gd
#
# Plays poses.json, {"file": …, "poses": [{"clip": …, "time": …}]}, through Godot's importer, its animation player and
# the imported drivers. Writes bones.json: for each pose, with and without drivers, the model matrix of every bone.
extends SceneTree


func _init() -> void:
	var request := File.new()
	request.open("res://poses.json", File.READ)
	var json: Dictionary = parse_json(request.get_as_text())
	var packed: PackedScene = load("res://" + json.file)
	var result := []
	for pose in json.poses:
		var scene := packed.instance()
		get_root().add_child(scene)
		var skeleton := _find_skeleton(scene)
		var drivers = skeleton.get_node_or_null("SinewDrivers")
		if pose.clip != "":
			var player: AnimationPlayer = scene.get_node("AnimationPlayer")
			player.play(pose.clip)
			player.seek(pose.time, true)
			player.stop(false)
		var without := _bones(scene, skeleton)
		if drivers != null:
			drivers.update()
		result.append({"without": without, "with": _bones(scene, skeleton), "drivers": drivers._entries.size() if drivers != null else 0})
		get_root().remove_child(scene)
		scene.free()
	var answer := File.new()
	answer.open("res://bones.json", File.WRITE)
	answer.store_string(to_json(result))
	answer.close()
	quit()


func _find_skeleton(node: Node) -> Skeleton:
	if node is Skeleton:
		return node as Skeleton
	for child in node.get_children():
		var found := _find_skeleton(child)
		if found != null:
			return found
	return null


# Per bone: the three columns of its axes and its position.
func _bones(scene: Node, skeleton: Skeleton) -> Dictionary:
	var above := Transform()
	var node: Node = skeleton
	while node != null and node != scene.get_parent():
		if node is Spatial:
			above = node.transform * above
		node = node.get_parent()
	var result := {}
	for bone in skeleton.get_bone_count():
		var m := Transform()
		var at: int = bone
		while at >= 0:
			m = skeleton.get_bone_rest(at) * skeleton.get_bone_pose(at) * m
			at = skeleton.get_bone_parent(at)
		m = above * m
		var numbers := []
		for v in [m.basis.x, m.basis.y, m.basis.z, m.origin]:
			numbers += [v.x, v.y, v.z]
		result[skeleton.get_bone_name(bone)] = numbers
	return result
