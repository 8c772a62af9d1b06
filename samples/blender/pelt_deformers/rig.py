# SPDX-License-Identifier: MIT
"""The rig of a scene: the layers of its panels, and derived layers for all other meshes."""
import json

from . import derive, drivers, fit, scene, schema

MASK = "PELT_MASK_"  # prefix of the attributes for masks


class SceneRig:
    """A rig whose meshes are named by their objects, and what an export must prepare for it."""

    def __init__(self):
        self.rig = {"format": "pelt-rig 1", "layers": []}
        self.masks = []  # (object, name of the attribute, vertex group, whether it is inverted)
        self.lost = []  # (object, sentence)
        self.carried = []  # (object, modifier): modifiers that Pelt replaces
        self.drivers = []  # objects that are drivers
        self.fits = []  # shapes that replace modifiers
        self.driven = {}  # {name of a mesh: keys whose drivers became correctives}

    def moves_anything(self):
        return bool(self.rig["layers"])


def of_scene(panel, exported, sample=True):
    """Makes the rig of the exported objects. `panel` is the scene's property group.

    With `sample`, Blender poses the bones to sample modifiers without counterparts, which takes time.
    """
    made = SceneRig()
    rest = json.loads(panel.rest) if panel.rest else {}
    for key, value in rest.items():
        made.rig[key] = value
    said = [layer_of(item) for item in panel.layers]
    spoken = {layer["target"] for layer in said}
    everything = "*" in spoken
    derived_layers, meshes = [], _things_with_a_rig(exported)
    for thing in meshes:
        modifiers = scene.active(thing, *scene.CARRIED)
        made.carried += [(thing, modifier) for modifier in modifiers]
        if thing.name in spoken or everything:
            continue
        derived = derive.layers_of(thing, panel.bendy)
        derived_layers += derived.layers
        made.lost += [(thing, sentence) for sentence in derived.lost]
        made.drivers += derived.followed
    made.rig["layers"] = _needed(derived_layers, said, {cage.name for cage in made.drivers}) + said
    _add_anchors(made, exported)
    _make_masks(made, {thing.name: thing for thing in exported.meshes})
    if exported.settings.get("gltf_morph", True) and "correctives" not in rest:
        _add_correctives(made, meshes)
    if sample:
        for thing in meshes:
            if thing.name not in spoken:
                _add_fit(made, thing, exported)
    return made


def _add_anchors(made, exported):
    """Empties parented to vertices become anchors there, in the rest pose and in the file's space."""
    for thing in exported.objects:
        mesh = thing.parent
        if thing.type != "EMPTY" or thing.parent_type not in ("VERTEX", "VERTEX_3") or mesh not in exported.meshes:
            continue
        vertices = thing.parent_vertices[: 1 if thing.parent_type == "VERTEX" else 3]
        points = [mesh.matrix_world @ mesh.data.vertices[vertex].co for vertex in vertices]
        x, y, z = (sum(axis) / len(points) for axis in zip(*points))
        near = [x, z, -y] if exported.settings.get("gltf_yup", True) else [x, y, z]
        anchors = made.rig.setdefault("anchors", [])
        if thing.name not in {anchor["name"] for anchor in anchors}:
            anchors.append({"name": thing.name, "mesh": mesh.name, "near": near})
    if "anchors" in made.rig and not made.rig["layers"]:
        made.rig["layers"] = [{"target": "*", "deformer": "linear_blend"}]


def _add_fit(made, thing, exported):
    modifiers = [
        modifier for modifier in scene.active(thing, *fit.FITTED) if not fit.can_be_fitted(thing, modifier, exported)
    ]
    if not modifiers:
        return
    fitted = fit.fit(thing, exported.settings)
    made.fits.append(fitted)
    made.rig.setdefault("correctives", []).extend(fitted.correctives)
    if fitted.left_out:
        made.lost.append(
            (
                thing,
                f"'{thing.name}': its modifiers are left out at the turns of {fitted.left_out} joints, "
                f"since a mesh may have {fit.MOST} shapes",
            )
        )


def _needed(derived, said, cages):
    """Leaves out derived layers that change nothing.

    Cages that only their weights move need none, since drivers have how they follow; if layers move a cage, its driver
    does not have it. Meshes with only linear blend need none, but a rig needs a layer.
    """
    cages |= {layer.get("parameters", {}).get("driver", {}).get("mesh", "") for layer in said}
    deformers = {}
    for layer in derived:
        deformers.setdefault(layer["target"], []).append(layer["deformer"])
    alone = (["linear_blend"], ["dual_quaternion"])
    plain = {name for name, kinds in deformers.items() if name in cages and kinds in alone}
    kept = [layer for layer in derived if layer["target"] not in plain]
    for layer in kept:
        driver = layer.get("parameters", {}).get("driver", {})
        if driver.get("mesh") in deformers and driver["mesh"] not in plain:
            driver.pop("follow", None)
    telling = [layer for layer in kept if deformers[layer["target"]] != ["linear_blend"]]
    return telling if telling or said else kept[:1] and [{"target": "*", "deformer": "linear_blend"}]


def _things_with_a_rig(exported):
    return [
        thing
        for thing in exported.meshes
        if scene.armature_modifier(thing) is not None or scene.active(thing, *scene.CARRIED)
    ]


def _make_masks(made, meshes):
    """Replaces vertex groups in masks by the names of attributes, which the export makes."""
    taken = {attribute.name for thing in meshes.values() for attribute in thing.data.attributes}
    for layer in made.rig["layers"]:
        group = derive.group_of(layer.get("mask", {}).get("attribute", ""))
        thing = meshes.get(layer.get("target"))
        if group is None or thing is None or group[0] not in thing.vertex_groups:
            continue
        number = 0
        while f"{MASK}{number}" in taken:
            number += 1
        taken.add(f"{MASK}{number}")
        made.masks.append((thing, f"{MASK}{number}", *group))
        layer["mask"]["attribute"] = f"_{MASK}{number}"


def _add_correctives(made, meshes):
    skins = [thing for thing in meshes if drivers.driven_keys(thing)]
    sets, lost = drivers.correctives(skins)
    made.lost += [
        (
            thing,
            f"shape key '{key}' of '{thing.name}' is not carried as a corrective, since {why}: clips have it, "
            f"and in a game it is the control '{thing.name}/{key}'",
        )
        for thing, key, why in lost
    ]
    made.lost += [
        (
            thing,
            f"clips move shape keys of '{thing.name}', and so does the driver of '{key}', which is not carried: "
            "the exporter keeps only one of them",
        )
        for thing, key, _ in lost
        if drivers.is_keyed(thing)
    ]
    made.driven = {
        name: [pose["morph_target"] for poses in key_poses for pose in poses["poses"] if "morph_target" in pose]
        for name, key_poses in sets.items()
    }
    driving = {thing.name for thing in made.drivers}
    for name, key_poses in sets.items():
        if name not in driving:
            made.rig.setdefault("correctives", []).extend({"mesh": name, **poses} for poses in key_poses)
            continue
        for layer in made.rig["layers"]:
            driver = layer.get("parameters", {}).get("driver", {})
            if driver.get("mesh") == name:
                driver["key_poses"] = key_poses


def has_lines(made, exported):
    """Whether there are drawn curves on an armature, or that the rig names, which the file needs as lines."""
    named = set()
    schema.each_name_of_rig(made, lambda kind, name: named.add(name) or name, schema.MESHES)
    curves = [thing for thing in exported.objects if thing.type == "CURVE"]
    return any(thing.name in named or thing.parent in exported.armatures for thing in curves)


def layer_of(item):
    """The layer of an item of the panel, as in a rig file."""
    layer = {"target": item.object.name if item.object else item.target or "*", "deformer": item.deformer}
    for parameter in item.parameters:
        steps = parameter.path.split(".")
        inner = layer
        for step in steps[:-1]:
            inner = inner.setdefault(step, {})
        inner[steps[-1]] = json.loads(parameter.value)
    return layer


def fill_item(item, layer, objects):
    """Writes a layer into an item of the panel. `objects` finds an object by its name in the layer."""
    target = layer.get("target", "*")
    item.object = objects.get(target) if target != "*" else None
    item.target = target
    item.deformer = layer["deformer"]
    for path in schema.leaves(layer["deformer"]):
        inner, steps = layer, path.split(".")
        for step in steps:
            inner = inner.get(step) if isinstance(inner, dict) else None
            if inner is None:
                break
        if inner is not None:
            parameter = item.parameters.add()
            parameter.path = path
            parameter.value = json.dumps(inner)


def without_empty(value):
    """A copy without empty lists and objects, which the exporter drops: they are every key's default."""
    if isinstance(value, dict):
        kept = {key: without_empty(member) for key, member in value.items()}
        return {key: member for key, member in kept.items() if member not in ({}, [])}
    if isinstance(value, list):
        return [without_empty(item) for item in value]
    return value
