# SPDX-License-Identifier: MIT
"""The parts of a Blender scene that are exported: objects, their modifiers, bendy bones, clips."""
import contextlib
import math

import bpy
import numpy

CARRIED = ("SURFACE_DEFORM", "MESH_DEFORM")  # modifiers that become layers, besides ARMATURE
SIMULATED = ("CLOTH", "SOFT_BODY", "MESH_CACHE", "MESH_SEQUENCE_CACHE", "NODES", "WAVE", "OCEAN", "DYNAMIC_PAINT")
RESHAPING = tuple(
    "ARRAY BEVEL BOOLEAN BUILD DECIMATE EDGE_SPLIT MASK MIRROR MULTIRES NODES REMESH SCREW SKIN SOLIDIFY SUBSURF "
    "TRIANGULATE VOLUME_TO_MESH WELD WIREFRAME EXPLODE FLUID PARTICLE_INSTANCE".split()
)  # these add or remove vertices
POSING = ("SHRINKWRAP", "HOOK", "CAST", "CURVE", "SIMPLE_DEFORM", "WARP", "SMOOTH", "LAPLACIANDEFORM")


class Exported:
    """The objects that the exporter will take with these settings."""

    def __init__(self, settings):
        self.settings = settings
        self.objects = [thing for thing in self._scene_objects() if self._is_kept(thing)]
        self.meshes = [thing for thing in self.objects if thing.type == "MESH"]
        self.armatures = [thing for thing in self.objects if thing.type == "ARMATURE"]

    def __contains__(self, thing):
        return thing in self.objects

    @staticmethod
    def _scene_objects():
        """Depth first, parents first, like the nodes of the file."""
        things = list(bpy.context.scene.objects)
        children = {}
        for thing in things:
            children.setdefault(thing.parent, []).append(thing)
        order, waiting = [], list(reversed(children.get(None, [])))
        while waiting:
            thing = waiting.pop()
            order.append(thing)
            waiting.extend(reversed(children.get(thing, [])))
        return order

    def _is_kept(self, thing):
        settings = self.settings
        if settings.get("gltf_selected") and not thing.select_get():
            return False
        if settings.get("gltf_visible") and (not thing.visible_get() or thing.hide_viewport):
            return False
        if settings.get("gltf_renderable") and thing.hide_render:
            return False
        if settings.get("gltf_active_collection"):
            collection = bpy.context.collection
            inside = collection.objects
            if settings.get("gltf_active_collection_with_nested"):
                inside = collection.all_objects
            return any(other == thing for other in inside)
        return True


def settings_of(options):
    """Converts the exporter's options, as bpy.ops.export_scene.gltf names them, to its settings."""
    return {
        "gltf_selected": options.get("use_selection", False),
        "gltf_visible": options.get("use_visible", False),
        "gltf_renderable": options.get("use_renderable", False),
        "gltf_active_collection": options.get("use_active_collection", False),
        "gltf_active_collection_with_nested": options.get("use_active_collection_with_nested", True),
        "gltf_apply": options.get("export_apply", False),
        "gltf_yup": options.get("export_yup", True),
        "gltf_skins": options.get("export_skins", True),
        "gltf_morph": options.get("export_morph", True),
        "gltf_export_anim_single_armature": options.get("export_anim_single_armature", True),
        "gltf_nla_strips": options.get("export_nla_strips", True),
        "gltf_def_bones": options.get("export_def_bones", False),
    }


def active(thing, *kinds):
    """The visible modifiers of these kinds."""
    return [modifier for modifier in thing.modifiers if modifier.type in kinds and modifier.show_viewport]


def armature_modifier(thing):
    """The Armature modifier that the exporter skins a mesh by, which is its last one, or None."""
    found = [modifier for modifier in thing.modifiers if modifier.type == "ARMATURE" and modifier.object is not None]
    return found[-1] if found else None


def armature_of(thing):
    modifier = armature_modifier(thing)
    return modifier.object if modifier else None


def bendy_bones(armature):
    """The bones that bend, in the armature's order."""
    return [bone for bone in armature.data.bones if bone.bbone_segments > 1 and bone.use_deform]


def painted_bones(thing, armature):
    """{name of a bone that the mesh is painted to: its vertex group's number}."""
    bones = armature.data.bones
    return {
        group.name: group.index for group in thing.vertex_groups if group.name in bones and bones[group.name].use_deform
    }


def clips(armature, settings):
    """[(name of the clip, action)] that the exporter would make of an armature."""
    animation = armature.animation_data
    found = []
    if animation is not None:
        if animation.action is not None:
            found.append((animation.action.name, animation.action))
        for track in animation.nla_tracks:
            strips = [strip for strip in track.strips if strip.action is not None and not strip.mute]
            if len(strips) == 1:
                default = track.name.startswith(("NlaTrack", "[Action Stash]"))
                found = [pair for pair in found if pair[1] != strips[0].action]
                found.append((strips[0].action.name if default else track.name, strips[0].action))
    return found


def positions(vertices):
    """The vertices of a mesh, or the points of a shape key, as rows."""
    points = numpy.empty(3 * len(vertices), numpy.float32)
    vertices.foreach_get("co", points)
    return points.reshape(-1, 3)


@contextlib.contextmanager
def playing(armature, action):
    """A context in which only one action, or None, moves an armature, which then stands as before."""
    animation = armature.animation_data
    if animation is None:
        yield
        return
    before, nla, put_back = animation.action, animation.use_nla, _put_back(armature)
    try:
        animation.use_nla = False
        animation.action = action
        yield
    finally:
        animation.action, animation.use_nla = before, nla
        put_back()


@contextlib.contextmanager
def without(modifiers):
    """A context in which these modifiers are hidden."""
    hidden = [modifier for modifier in modifiers if modifier.show_viewport]
    for modifier in hidden:
        modifier.show_viewport = False
    try:
        yield
    finally:
        for modifier in hidden:
            modifier.show_viewport = True


@contextlib.contextmanager
def kept_pose(armature):
    """A context after which the bones of an armature are posed as before."""
    kept = [_put_back(pose) for pose in armature.pose.bones]
    try:
        yield
    finally:
        for put_back in kept:
            put_back()


MOVES = ("rotation_mode", "location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")


def _put_back(thing):
    """Returns a function that moves an object or a bone back to its present position, turn and scale."""
    if not hasattr(thing, "rotation_mode"):  # shape keys
        return lambda: None
    kept = [(name, getattr(thing, name)) for name in MOVES]
    kept = [(name, value if isinstance(value, str) else tuple(value)) for name, value in kept]

    def put_back():
        for name, value in kept:
            setattr(thing, name, value)

    return put_back


@contextlib.contextmanager
def kept_keys(things):
    """A context after which the shape keys of meshes have the values that they had before."""
    values = [(key, key.value) for thing in things if thing.data.shape_keys for key in thing.data.shape_keys.key_blocks]
    try:
        yield
    finally:
        for key, value in values:
            key.value = value


def frames_of(action):
    """The whole frames that an action spans."""
    return range(math.floor(action.frame_range[0]), math.ceil(action.frame_range[1]) + 1)


def basis(pose, matrices):
    """A bone's transform relative to its rest. `matrices`: {bone: its matrix in the armature's space}."""
    bone, above = pose.bone, pose.parent
    if above is None:
        return bone.matrix_local.inverted_safe() @ matrices[pose.name]
    rest = above.bone.matrix_local.inverted_safe() @ bone.matrix_local
    return rest.inverted_safe() @ matrices[above.name].inverted_safe() @ matrices[pose.name]


def copy_data(thing, stack):
    """Gives a mesh a copy of its data under the same name; `stack` undoes it."""
    original, name = thing.data, thing.data.name
    copied = original.copy()
    stack.callback(_give_back, thing.name, original, copied, name)
    original.name = name + ".kept"
    copied.name = name
    thing.data = copied
    return copied


def _give_back(thing, original, copied, name):
    bpy.data.objects[thing].data = original
    bpy.data.meshes.remove(copied)
    original.name = name
