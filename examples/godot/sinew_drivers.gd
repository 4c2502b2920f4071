# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

# Moves the helper joints of a character that `sinew helpers` wrote, in Godot 3. README.md shows its use;
# docs/formats/drivers.md describes the drivers that it evaluates.
extends Node

# The driven nodes of the file, as `read_drivers` returns them. `sinew_import.gd` fills this when the file is imported.
export var drivers := []
# Read instead if `drivers` is empty: a .glb file, such as "res://hero.glb".
export(String, FILE, "*.glb") var file := ""
# The skeleton that is driven.
export var skeleton := NodePath("..")

const KINDS := ["twist_share", "rotation_share", "driven_keys", "polynomial", "aim"]

var _skeleton: Skeleton
var _entries := []


func _ready() -> void:
	# After the animation player and whatever else poses the skeleton.
	process_priority = 1000
	_skeleton = get_node(skeleton)
	setup()


func _process(_seconds: float) -> void:
	update()


# Returns a list of {name, driver, source} of the nodes of a .glb file that have a driver; `source` is a node's name.
static func read_drivers(path: String) -> Array:
	var result := []
	var glb := File.new()
	if glb.open(path, File.READ) != OK or glb.get_32() != 0x46546C67:
		push_error("%s is not a .glb file." % path)
		return result
	glb.seek(12)
	var length: int = glb.get_32()
	glb.seek(20)
	var nodes: Array = parse_json(glb.get_buffer(length).get_string_from_utf8()).get("nodes", [])
	for node in nodes:
		var driver = node.get("extras", {}).get("sinew", {}).get("driver")
		if driver == null:
			continue
		var source = driver.get("source", "")
		if not source is String:
			source = nodes[int(source)].get("name", "")
		result.append({"name": node.get("name", ""), "driver": driver, "source": source})
	return result


# Prepares the drivers. Call it again after `drivers` or the skeleton has changed.
func setup() -> void:
	_entries = []
	if drivers.empty() and file != "":
		drivers = read_drivers(file)
	var bones := {}
	for bone in _skeleton.get_bone_count():
		bones[_plain(_skeleton.get_bone_name(bone))] = bone
	var waiting := {}
	for item in drivers:
		var bone: int = bones.get(_plain(item.name), -1)
		var source: int = bones.get(_plain(item.source), -1)
		if bone < 0 or source < 0 or bone == source or not item.driver.kind in KINDS:
			push_warning("The driver of '%s' is left out: its kind is unknown, or the skeleton lacks a bone." % item.name)
			continue
		waiting[bone] = _prepare(item.driver, bone, source)
	# Each driver comes after those on which it depends.
	while not waiting.empty():
		var ready := []
		for bone in waiting:
			var free := true
			for input in _inputs(waiting[bone]):
				free = free and not waiting.has(input)
			if free:
				ready.append(bone)
		if ready.empty():
			push_error("Drivers depend on each other in a cycle.")
			return
		for bone in ready:
			_entries.append(waiting[bone])
			waiting.erase(bone)


# Moves the helper joints. It runs in every frame; call it yourself after you have posed the skeleton in code.
func update() -> void:
	for entry in _entries:
		_drive(entry)


# Godot's importer rewrites names ("LeftHand" becomes "left_hand"), so they are compared without case and separators.
static func _plain(name: String) -> String:
	var result := ""
	var digits := false
	for i in name.length():
		var letter: String = name[i].to_lower()
		if letter in " _:./-" or (letter == "0" and not digits and i + 1 < name.length() and name[i + 1].is_valid_integer()):
			digits = false
			continue
		digits = letter.is_valid_integer()
		result += letter
	return result


func _prepare(driver: Dictionary, bone: int, source: int) -> Dictionary:
	var axis: Vector3 = _vector(driver.get("axis", [0, 1, 0])).normalized()
	var before: Array = driver.get("before", [0, 0, 0, 1])
	var entry := {
		"kind": driver.kind, "bone": bone, "source": source, "axis": axis,
		"before": Quat(before[0], before[1], before[2], before[3]).normalized(),
		"share": driver.get("share", 0.5), "weight": driver.get("weight", 1.0),
		"keys": driver.get("keys", []), "coefficients": driver.get("coefficients", []),
		"rest": _skeleton.get_bone_rest(bone),
		"driven_axis": axis,
		"constant": 0.0,
	}
	# With "before", a bone beside its source keeps the axis that it had where the driver was made.
	var seen: Vector3 = axis
	if driver.kind == "twist_share" and driver.has("before") and not _is_above(source, bone):
		seen = entry.before.inverse() * axis
	entry.driven_axis = _rest_rotation(bone).inverse() * (_rest_rotation(source) * seen)
	if driver.kind == "twist_share" and driver.has("before"):
		entry.constant = _twist_angle(entry.before, axis)
	if driver.kind == "polynomial":
		entry.constant = _outputs(entry, _rotation_vector(entry.before) if driver.has("before") else Vector3())
		if not driver.has("before"):
			for i in 9:
				entry.constant[i] = 0.0
	elif driver.kind == "driven_keys" and driver.has("before"):
		entry.constant = _piecewise_linear(entry.keys, _twist_angle(entry.before, axis))
	return entry


func _is_above(above: int, bone: int) -> bool:
	while bone >= 0 and bone != above:
		bone = _skeleton.get_bone_parent(bone)
	return bone == above


func _inputs(entry: Dictionary) -> Array:
	if entry.kind != "aim":
		return [entry.source]
	var result := []
	var bone: int = entry.source
	while bone >= 0:
		result.append(bone)
		bone = _skeleton.get_bone_parent(bone)
	bone = _skeleton.get_bone_parent(entry.bone)
	while bone >= 0:
		result.append(bone)
		bone = _skeleton.get_bone_parent(bone)
	return result


func _rest_rotation(bone: int) -> Quat:
	var result := Quat()
	while bone >= 0:
		result = _skeleton.get_bone_rest(bone).basis.get_rotation_quat() * result
		bone = _skeleton.get_bone_parent(bone)
	return result


# The transform of a bone relative to its parent.
func _local(bone: int) -> Transform:
	return _skeleton.get_bone_rest(bone) * _skeleton.get_bone_pose(bone)


# The rotation of the source relative to its rest, in its own frame.
func _delta(entry: Dictionary) -> Quat:
	var rest: Quat = _skeleton.get_bone_rest(entry.source).basis.get_rotation_quat()
	return (entry.before * (rest.inverse() * _local(entry.source).basis.get_rotation_quat())).normalized()


func _drive(entry: Dictionary) -> void:
	var rest: Transform = entry.rest
	var rotation: Quat = rest.basis.get_rotation_quat()
	var scale: Vector3 = Vector3(rest.basis.x.length(), rest.basis.y.length(), rest.basis.z.length())
	var origin: Vector3 = rest.origin
	var turn := Quat()
	match entry.kind:
		"aim":
			turn = _aim(entry)
		"twist_share":
			turn = _rotation(entry.driven_axis * (entry.share * (_twist_angle(_delta(entry), entry.axis) - entry.constant)))
		"driven_keys":
			turn = _rotation(entry.driven_axis * (_piecewise_linear(entry.keys, _twist_angle(_delta(entry), entry.axis)) - entry.constant))
		"rotation_share":
			turn = _rotation(_rotation_vector(entry.before) * -entry.share) * _rotation(_rotation_vector(_delta(entry)) * entry.share)
		"polynomial":
			var out: Array = _outputs(entry, _rotation_vector(_delta(entry)))
			for i in 9:
				out[i] -= entry.constant[i]
			origin += rotation * Vector3(out[0], out[1], out[2])
			scale *= Vector3(exp(out[6]), exp(out[7]), exp(out[8]))
			turn = _rotation(Vector3(out[3], out[4], out[5]))
	var axes: Basis = Basis((rotation * turn).normalized())
	var local: Transform = Transform(axes.x * scale.x, axes.y * scale.y, axes.z * scale.z, origin)
	_skeleton.set_bone_pose(entry.bone, rest.affine_inverse() * local)


# The smallest rotation that points the joint's axis at the source.
func _aim(entry: Dictionary) -> Quat:
	var parent := Transform()
	var bone: int = _skeleton.get_bone_parent(entry.bone)
	while bone >= 0:
		parent = _local(bone) * parent
		bone = _skeleton.get_bone_parent(bone)
	var source := Transform()
	bone = entry.source
	while bone >= 0:
		source = _local(bone) * source
		bone = _skeleton.get_bone_parent(bone)
	var rest: Transform = entry.rest
	var rotation: Quat = rest.basis.get_rotation_quat()
	var target: Vector3 = source.origin - parent.xform(rest.origin)
	if target.length() < 1e-9:
		return Quat()
	var frame: Quat = (parent.basis.get_rotation_quat() * rotation).inverse()
	var from: Vector3 = (frame * parent.basis.xform(rotation * entry.axis)).normalized()
	var to: Vector3 = (frame * target).normalized()
	var across: Vector3 = from.cross(to)
	var angle: float = atan2(across.length(), from.dot(to))
	if across.length() < 1e-9:
		if from.dot(to) > 0:
			return Quat()
		across = from.cross(Vector3.RIGHT if abs(from.x) < 0.9 else Vector3.UP)
	return Quat(across.normalized(), angle * entry.weight)


static func _vector(list: Array) -> Vector3:
	return Vector3(list[0], list[1], list[2])


# The twist of a rotation about a unit axis, between -PI and PI.
static func _twist_angle(q: Quat, axis: Vector3) -> float:
	var along: float = Vector3(q.x, q.y, q.z).dot(axis)
	return wrapf(2.0 * atan2(along, q.w), -PI, PI) if along != 0.0 or q.w != 0.0 else 0.0


# The shortest rotation vector of a unit quaternion.
static func _rotation_vector(q: Quat) -> Vector3:
	var side: float = -1.0 if q.w < 0.0 else 1.0
	var v: Vector3 = Vector3(q.x, q.y, q.z) * side
	var sine: float = v.length()
	return v * 2.0 if sine < 1e-9 else v * (2.0 * atan2(sine, side * q.w) / sine)


static func _rotation(vector: Vector3) -> Quat:
	var angle: float = vector.length()
	return Quat() if angle < 1e-9 else Quat(vector / angle, angle)


# The nine outputs of a polynomial driver: coefficients are in graded lexical order.
static func _outputs(entry: Dictionary, v: Vector3) -> Array:
	var result := []
	for i in 9:
		var row: Array = entry.coefficients[i] if i < entry.coefficients.size() else []
		var sum := 0.0
		var next := 0
		var degree := 0
		while next < row.size():
			for x in range(degree, -1, -1):
				for y in range(degree - x, -1, -1):
					sum += row[next] * pow(v.x, x) * pow(v.y, y) * pow(v.z, degree - x - y)
					next += 1
			degree += 1
		result.append(sum)
	return result


# The value at x of a function that is linear between keys and constant beyond them.
static func _piecewise_linear(keys: Array, x: float) -> float:
	if x < keys[0][0]:
		return keys[0][1]
	for k in range(1, keys.size()):
		if x < keys[k][0]:
			return keys[k - 1][1] + (keys[k][1] - keys[k - 1][1]) * (x - keys[k - 1][0]) / (keys[k][0] - keys[k - 1][0])
	return keys[keys.size() - 1][1]
