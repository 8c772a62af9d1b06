# SPDX-License-Identifier: MIT
"""Fits modifiers without a counterpart: what they add to the skin at angles of joints becomes correctives.

Modifiers that depend only on the bones, such as Corrective Smooth and lattices that bones move, are sampled. One bone
after the other turns about one of its axes, all others at rest, by the angles that the clips have. If Blender has a
vertex at p' and its weights take the point p at rest to M p, the shape of that angle has it at M^-1 p'.
These shapes are morph targets during the export, and the rig keys them over the angles. Between the angles they are
linear, and if several bones or axes turn they add up, so that the result is an approximation.
"""
import contextlib
import math

import bpy
import numpy
from mathutils import Matrix, Quaternion

from . import scene

FITTED = ("CORRECTIVE_SMOOTH", "LATTICE")
AXES = (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1)))
STEP = 20.0  # degrees between shapes, at most
SHAPES = 5  # per side of an axis, at most
LEAST_TURN = 3.0  # degrees: a bone that turns less in all clips needs no shape
LEAST_OFFSET = 5e-4  # of the mesh's size: a shape that moves no vertex farther is left out
MOST = 64  # shapes per mesh, the largest first


def can_be_fitted(thing, modifier, exported):
    """Returns why a modifier cannot be fitted, or an empty text."""
    armature = scene.armature_of(thing)
    if armature is None:
        return "no armature moves the mesh"
    if exported.settings.get("gltf_apply"):
        return "with Apply Modifiers the exporter drops shape keys"
    if not exported.settings.get("gltf_morph", True):
        return "shape keys are not exported"
    if scene.bendy_bones(armature):
        return "its armature has bendy bones"
    if scene.active(thing, "SURFACE_DEFORM", "MESH_DEFORM"):
        return "the mesh also follows a cage"
    if modifier.type == "CORRECTIVE_SMOOTH" and modifier.rest_source == "BIND" and not modifier.is_bind:
        return "its rest is not bound"
    if modifier.type == "LATTICE" and not hangs_on(modifier.object, armature):
        return "its lattice is moved by something other than bones of the mesh's armature"
    return ""


def hangs_on(lattice, armature):
    """Whether a lattice moves only with an armature's bones."""
    if lattice is None:
        return False
    keys = lattice.data.shape_keys
    if (
        lattice.animation_data is not None
        or lattice.constraints
        or (keys is not None and keys.animation_data is not None)
    ):
        return False
    if lattice.parent is not None and lattice.parent != armature:
        return False
    return all(modifier.type == "ARMATURE" and modifier.object == armature for modifier in lattice.modifiers)


class Fit:
    """The shapes of one mesh, which become morph targets, and the correctives that key them."""

    def __init__(self, thing):
        self.thing = thing
        self.rest = None  # what the modifiers add at rest, vertices x 3 in the object's space
        self.shapes = {}  # {name: vertices x 3, what to add to the mesh at rest}
        self.correctives = []
        self.left_out = 0


def fit(thing, settings):
    """Samples what the modifiers of FITTED kinds do to a mesh."""
    armature = scene.armature_of(thing)
    made = Fit(thing)
    turns = _turns(armature, settings)
    with _bare(thing, armature):
        transforms = _Transforms(thing, armature)
        points = scene.positions(thing.data.vertices).astype(float)
        made.rest = _sample(thing, transforms) - points
        size = float(numpy.linalg.norm(points.max(axis=0) - points.min(axis=0))) or 1.0
        found = []
        for bone, axis, angles in turns:
            pose = armature.pose.bones[bone]
            for degrees in angles:
                pose.rotation_quaternion = Quaternion(AXES[axis][1], math.radians(degrees))
                bpy.context.view_layer.update()
                offsets = _sample(thing, transforms) - points - made.rest
                found.append((float(numpy.abs(offsets).max()), bone, axis, degrees, offsets))
            pose.rotation_quaternion = (1, 0, 0, 0)
        bpy.context.view_layer.update()
    _choose(made, found, LEAST_OFFSET * size)
    return made


def _choose(made, found, least):
    """Keeps the axes that matter, each with all its angles: no key between two others can be left out."""
    largest = {}
    for size, bone, axis, _, _ in found:
        largest[bone, axis] = max(largest.get((bone, axis), 0.0), size)
    kept = 0
    for (bone, axis), size in sorted(largest.items(), key=lambda item: -item[1]):
        poses = [(degrees, offsets) for _, b, a, degrees, offsets in found if (b, a) == (bone, axis)]
        if size < least or kept + len(poses) > MOST:
            made.left_out += size >= least
            continue
        kept += len(poses)
        corrective = {"mesh": made.thing.name, "angles": [{"joint": bone, "axis": list(AXES[axis][1])}], "poses": []}
        for degrees, offsets in sorted(poses, key=lambda pair: pair[0]):
            name = f"fit:{bone}:{AXES[axis][0]}{degrees:+.0f}"
            made.shapes[name] = offsets
            corrective["poses"].append({"degrees": [degrees], "morph_target": name})
        made.correctives.append(corrective)


def turns_of_clips(armature, settings):
    """([(name, action)], {(bone, axis): [least, most]}): the clips, and how far they turn bones, in degrees."""
    ranges = {}
    clips = scene.clips(armature, settings)
    frame = bpy.context.scene.frame_current
    for _, action in clips:
        with scene.playing(armature, action):
            for at in scene.frames_of(action):
                bpy.context.scene.frame_set(at)
                _measure(armature, ranges)
    bpy.context.scene.frame_set(frame)
    return clips, ranges


def _turns(armature, settings):
    """[(bone, axis, degrees to sample)] by the clips or, without clips, up to 90 degrees either way."""
    clips, ranges = turns_of_clips(armature, settings)
    if not clips:
        for bone in armature.data.bones:
            for axis in (0, 2):
                ranges[bone.name, axis] = [-90.0, 90.0]
    turns = []
    for (bone, axis), span in ranges.items():
        angles = []
        for end in span:
            steps = min(max(math.ceil(abs(end) / STEP - 1e-6), 1), SHAPES)
            if abs(end) > LEAST_TURN:
                angles += [round(end * (i + 1) / steps, 2) for i in range(steps)]
        if angles:
            turns.append((bone, axis, angles))
    return turns


def _measure(armature, ranges):
    matrices = {pose.name: pose.matrix for pose in armature.pose.bones}
    for pose in armature.pose.bones:
        turn = scene.basis(pose, matrices).to_quaternion()
        for axis in range(3):
            degrees = math.degrees(2 * math.atan2(turn[axis + 1], turn[0]))
            degrees = (degrees + 180) % 360 - 180
            span = ranges.setdefault((pose.name, axis), [0.0, 0.0])
            span[0], span[1] = min(span[0], degrees), max(span[1], degrees)


@contextlib.contextmanager
def _bare(thing, armature):
    """A context in which all bones rest, without actions and constraints, and no modifier moves the mesh."""
    frame = bpy.context.scene.frame_current
    muted = [constraint for pose in armature.pose.bones for constraint in pose.constraints if not constraint.mute]
    muted += [key for key in thing.data.shape_keys.key_blocks if not key.mute] if thing.data.shape_keys else []
    others = [modifier for modifier in thing.modifiers if modifier.type not in ("ARMATURE", *FITTED)]
    with scene.playing(armature, None), scene.kept_pose(armature), scene.without(others):
        for constraint_or_key in muted:
            constraint_or_key.mute = True
        for pose in armature.pose.bones:
            pose.rotation_mode = "QUATERNION"
            pose.matrix_basis = Matrix.Identity(4)
        bpy.context.view_layer.update()
        try:
            yield
        finally:
            for constraint_or_key in muted:
                constraint_or_key.mute = False
    bpy.context.scene.frame_set(frame)


class _Transforms:
    """How a mesh's weights move its vertices: by linear blend, or by dual quaternions with Preserve Volume."""

    def __init__(self, thing, armature):
        self.armature = armature
        self.dual = scene.armature_modifier(thing).use_deform_preserve_volume
        self.to_armature = armature.matrix_world.inverted_safe() @ thing.matrix_world
        groups = scene.painted_bones(thing, armature)
        self.bones = list(groups)
        columns = {group: column for column, group in enumerate(groups.values())}
        self.weights = numpy.zeros((len(thing.data.vertices), len(self.bones)))
        for vertex in thing.data.vertices:
            for member in vertex.groups:
                if member.group in columns:
                    self.weights[vertex.index, columns[member.group]] = member.weight
        sums = self.weights.sum(axis=1, keepdims=True)
        self.bare = sums[:, 0] <= 1e-4
        self.weights /= numpy.where(sums > 1e-4, sums, 1)

    def inverse(self, points):
        """Takes posed points, in the object's space, back to rest."""
        matrices = []
        for bone in self.bones:
            pose = self.armature.pose.bones[bone]
            moved = pose.matrix @ pose.bone.matrix_local.inverted_safe()
            matrices.append(numpy.array(self.to_armature.inverted_safe() @ moved @ self.to_armature))
        blended = (
            self._dual(matrices) if self.dual else numpy.einsum("vb,bij->vij", self.weights, numpy.array(matrices))
        )
        blended[self.bare] = numpy.eye(4)
        back = numpy.linalg.solve(blended[:, :3, :3], (points - blended[:, :3, 3])[:, :, None])
        return back[:, :, 0]

    def _dual(self, matrices):
        turns = numpy.array([Matrix(matrix).to_quaternion() for matrix in matrices])
        shifts = numpy.array([matrix[:3, 3] for matrix in matrices])
        duals = 0.5 * _times(numpy.concatenate((numpy.zeros((len(shifts), 1)), shifts), axis=1), turns)
        leading = turns[self.weights.argmax(axis=1)]
        signs = numpy.where(leading @ turns.T < 0, -1.0, 1.0)
        signed = self.weights * signs
        turn, dual = signed @ turns, signed @ duals
        lengths = numpy.linalg.norm(turn, axis=1, keepdims=True)
        turn, dual = turn / lengths, dual / lengths
        shift = 2 * _times(dual, turn * (1, -1, -1, -1))[:, 1:]
        result = numpy.zeros((len(turn), 4, 4))
        w, x, y, z = turn.T
        result[:, 0, :3] = numpy.stack((1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)), axis=1)
        result[:, 1, :3] = numpy.stack((2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)), axis=1)
        result[:, 2, :3] = numpy.stack((2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)), axis=1)
        result[:, :3, 3] = shift
        result[:, 3, 3] = 1
        return result


def _times(a, b):
    """Products of quaternions w, x, y, z."""
    aw, ax, ay, az = a.T
    bw, bx, by, bz = b.T
    return numpy.stack(
        (
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ),
        axis=1,
    )


def _sample(thing, transforms):
    """The evaluated mesh, taken back to rest."""
    seen = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return transforms.inverse(scene.positions(seen.data.vertices))


def add_shapes(made, stack):
    """Adds its shapes to a mesh as shape keys, in a copy of its data; `stack` undoes it."""
    thing = made.thing
    copied = scene.copy_data(thing, stack)
    if copied.shape_keys is None:
        thing.shape_key_add(name="Basis", from_mix=False)
    keys = copied.shape_keys.key_blocks
    for key in keys:
        _add(key, made.rest)
    basis = keys[0]
    rest = scene.positions(basis.data).ravel()
    copied.vertices.foreach_set("co", rest)
    for shape, offsets in made.shapes.items():
        key = thing.shape_key_add(name=shape, from_mix=False)
        key.relative_key = basis
        key.data.foreach_set("co", rest)
        _add(key, offsets)
        key.value = 0.0
    copied.update()


def _add(key, offsets):
    key.data.foreach_set("co", (scene.positions(key.data) + offsets).astype(numpy.float32).ravel())
