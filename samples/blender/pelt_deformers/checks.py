# SPDX-License-Identifier: MIT
"""Checks a scene before it is exported: sentences, each with what to select. Errors stop the export."""
import json

from . import bendy, derive, drivers, fit, rig, scene, schema, versions

UNREAD = ("ARMATURE", *scene.CARRIED)


class Finding:
    """A sentence, its severity (ERROR, WARNING or INFO) and the object, bones or vertices that it is about."""

    def __init__(self, level, text, thing=None, bones=(), vertices=()):
        self.level, self.text, self.thing = level, text, thing
        self.bones, self.vertices = list(bones), list(vertices)


class Findings(list):
    def error(self, text, *culprit):
        self.append(Finding("ERROR", text, *culprit))

    def warning(self, text, *culprit):
        self.append(Finding("WARNING", text, *culprit))

    def info(self, text, *culprit):
        self.append(Finding("INFO", text, *culprit))


def check(panel, exported, learning=False):
    """Returns the findings, errors first. `pelt learn` takes all modifiers."""
    found = Findings()
    armatures = []
    for thing in exported.meshes:
        _check_mesh(thing, panel, exported, found, learning)
        armature = scene.armature_of(thing)
        if armature is not None and armature not in armatures and armature in exported:
            armatures.append(armature)
    for armature in armatures:
        _check_bendy(armature, panel.bendy, found)
        _check_names(armature, exported, bendy.bakes(panel.bendy, armature), found)
        _check_clips(armature, exported, found)
        _check_scales(armature, exported, found)
    _check_layers(panel, exported, found)
    order = ("ERROR", "WARNING", "INFO")
    return sorted(found, key=lambda finding: order.index(finding.level))


def show(panel, findings):
    """Puts findings into the panel."""
    panel.findings.clear()
    for finding in findings:
        item = panel.findings.add()
        item.level, item.text, item.object = finding.level, finding.text, finding.thing
        item.bones, item.vertices = json.dumps(finding.bones), json.dumps(finding.vertices)


def _check_mesh(thing, panel, exported, found, learning):
    skinned = [modifier for modifier in thing.modifiers if modifier.type == "ARMATURE"]
    for modifier in skinned:
        _check_armature(thing, modifier, exported, found)
    if len([modifier for modifier in skinned if modifier.object is not None]) > 1:
        found.error(
            f"'{thing.name}' has several Armature modifiers, but a file can have only one: join the armatures", thing
        )
    for modifier in scene.active(thing, "SURFACE_DEFORM", "MESH_DEFORM"):
        _check_driver(thing, modifier, exported, found)
    if not learning:
        _check_others(thing, panel, exported, found)
    _check_shape_keys(thing, panel, exported, found)
    armature = scene.armature_of(thing)
    if armature is not None and armature in exported:
        _check_weights(thing, armature, exported, found)


def _check_armature(thing, modifier, exported, found):
    if modifier.object is None:
        found.error(f"the Armature modifier '{modifier.name}' of '{thing.name}' names no armature", thing)
        return
    if modifier.object not in exported:
        found.error(
            f"'{thing.name}' is moved by the armature '{modifier.object.name}', which is not exported",
            modifier.object,
        )
    if modifier.use_bone_envelopes and modifier.show_viewport:
        found.error(
            f"the Armature modifier of '{thing.name}' uses bone envelopes, which a file cannot have: "
            "paint weights and turn Bone Envelopes off",
            thing,
        )
    if modifier.vertex_group:
        found.error(
            f"the Armature modifier of '{thing.name}' is masked by the vertex group "
            f"'{modifier.vertex_group}', which a file cannot have",
            thing,
        )
    if not modifier.use_vertex_groups:
        found.error(f"the Armature modifier of '{thing.name}' does not use vertex groups", thing)


def _check_weights(thing, armature, exported, found):
    painted = set(scene.painted_bones(thing, armature).values())
    bones = armature.data.bones
    stiff = {
        group.index: group.name
        for group in thing.vertex_groups
        if group.name in bones and not bones[group.name].use_deform
    }
    bare, foreign = [], {}
    for vertex in thing.data.vertices:
        weights = [member for member in vertex.groups if member.weight > 0.0001]
        if not any(member.group in painted for member in weights):
            bare.append(vertex.index)
        for member in weights:
            if member.group in stiff:
                foreign.setdefault(stiff[member.group], []).append(vertex.index)
    if bare and len(bare) == len(thing.data.vertices):
        found.error(f"no vertex of '{thing.name}' is painted to a bone of '{armature.name}'", thing)
    elif bare:
        found.warning(
            f"{_count(bare)} of '{thing.name}' painted to no bone: they stay still while the rest moves",
            thing,
            (),
            bare,
        )
    if exported.settings.get("gltf_def_bones"):
        return
    for name, vertices in foreign.items():
        found.error(
            f"'{thing.name}' is painted to the bone '{name}', which does not deform in Blender but "
            "would in the file: remove the group, or export deformation bones only",
            thing,
            [name],
            vertices,
        )


def _check_driver(thing, modifier, exported, found):
    kind = "Surface Deform" if modifier.type == "SURFACE_DEFORM" else "Mesh Deform"
    cage = derive.driver_of(modifier)
    if cage is None:
        found.error(f"{kind} of '{thing.name}' has no target", thing)
        return
    if cage.type != "MESH":
        found.error(f"{kind} of '{thing.name}' follows '{cage.name}', which is not a mesh", cage)
        return
    if cage not in exported:
        found.error(
            f"{kind} of '{thing.name}' follows '{cage.name}', which is not exported: a "
            "cage must be, even if it is hidden",
            cage,
        )
    if not cage.data.polygons:
        found.error(f"'{cage.name}', which '{thing.name}' follows, has no faces", cage)
    if not modifier.is_bound:
        found.warning(
            f"{kind} of '{thing.name}' is not bound, so Blender does not show it; Pelt binds it by itself", thing
        )
    if modifier.type == "SURFACE_DEFORM" and not 0 <= modifier.strength <= 1:
        found.error(
            f"Surface Deform of '{thing.name}' has the strength {modifier.strength:g}; a file can have 0 to 1",
            thing,
        )
    if derive.follow_of(cage) == "streamed":
        found.warning(
            f"'{cage.name}', which '{thing.name}' follows, is moved by more than its bones: the game "
            "must stream its vertices",
            cage,
        )
    if scene.active(cage, *scene.RESHAPING):
        found.warning(
            f"'{cage.name}', which '{thing.name}' follows, has modifiers that change its vertices: apply them", cage
        )


def _check_others(thing, panel, exported, found):
    for modifier in thing.modifiers:
        if not modifier.show_viewport or modifier.type in UNREAD:
            continue
        if modifier.type in fit.FITTED:
            _check_fitted(thing, modifier, panel, exported, found)
        elif not exported.settings.get("gltf_apply"):
            found.warning(
                f"the modifier '{modifier.name}' of '{thing.name}' is not in the file: turn Apply "
                "Modifiers on, or apply it",
                thing,
            )
        elif modifier.type in (*scene.SIMULATED, *scene.POSING):
            found.warning(
                f"the modifier '{modifier.name}' of '{thing.name}' is applied as it is now: what it "
                "does in other frames is not in the file",
                thing,
            )


def _lattice_rests(modifier):
    lattice = modifier.object
    if lattice is None:
        return True
    moving = (
        lattice.animation_data is not None or lattice.parent is not None or lattice.constraints or lattice.modifiers
    )
    keys = lattice.data.shape_keys
    return not moving and (keys is None or keys.animation_data is None)


def _check_fitted(thing, modifier, panel, exported, found):
    if modifier.type == "LATTICE" and _lattice_rests(modifier):
        if not exported.settings.get("gltf_apply"):
            found.warning(
                f"the lattice of '{thing.name}' does not move: turn Apply Modifiers on to export "
                "the shape that it gives",
                thing,
            )
        return
    kind = "Corrective Smooth" if modifier.type == "CORRECTIVE_SMOOTH" else "the lattice"
    why = fit.can_be_fitted(thing, modifier, exported)
    if any(item.object == thing for item in panel.layers):
        why = why or "layers of the panel define what moves the mesh"
    if not why:
        found.info(
            f"{kind} of '{thing.name}' is approximated by correctives: "
            "docs/blender.md has figures",
            thing,
        )
    elif modifier.type == "LATTICE":
        found.error(
            f"'{thing.name}' is moved by a lattice, which cannot be fitted, since {why}: replace it with a "
            "mesh cage and Surface Deform, or apply it as a shape key",
            thing,
        )
    else:
        found.warning(f"{kind} of '{thing.name}' is not carried, since {why}", thing)


def _check_shape_keys(thing, panel, exported, found):
    keys = thing.data.shape_keys
    if keys is None:
        return
    if exported.settings.get("gltf_apply") and thing.modifiers:
        found.error(
            f"'{thing.name}' has shape keys and modifiers: with Apply Modifiers the exporter drops the "
            "keys; turn it off",
            thing,
        )
    if not keys.use_relative:
        found.warning(f"the shape keys of '{thing.name}' are absolute, and would be relative in the file", thing)
    masked = [key.name for key in keys.key_blocks if key.vertex_group and not key.mute]
    if masked:
        found.warning(
            f"the shape key '{masked[0]}' of '{thing.name}' is masked by a vertex group, which the exporter ignores:"
            " make a shape key without a mask",
            thing,
        )
    for key, curve in drivers.driven_keys(thing):
        if not curve.is_valid or not curve.driver.is_valid:
            found.error(f"the driver of the shape key '{key.name}' of '{thing.name}' is invalid", thing)


def _check_bendy(armature, choice, found):
    if not scene.bendy_bones(armature) or choice == "JOINTS":
        return
    baked = bendy.bakes(choice, armature)
    for what, names in bendy.unfollowed(armature):
        if baked:
            text = f"bendy bones of '{armature.name}' become plain joints: {what} at {_bones(names)}"
            found.info(text, armature, names)
        else:
            text = (
                    f"the curve skeleton does not follow {what} at {_bones(names)} of '{armature.name}': let bendy"
                    " bones become plain joints"
            )
            found.warning(text, armature, names)


def _check_clips(armature, exported, found):
    shifted = [
        name
        for name, action in scene.clips(armature, exported.settings)
        if abs(action.frame_range[0] - round(action.frame_range[0])) > 1e-3
    ]
    if shifted:
        found.warning(
            f"the clip '{shifted[0]}' of '{armature.name}' begins between two frames, which makes the "
            "exporter shift it by a part of a frame: give its action a Manual Frame Range of whole frames",
            armature,
        )


def _check_scales(armature, exported, found):
    """Preserve Volume applies scale to a skin, which Pelt's dual quaternions do not."""
    skins = [thing for thing in exported.meshes if scene.armature_of(thing) == armature]
    if not any(scene.armature_modifier(thing).use_deform_preserve_volume for thing in skins):
        return
    scaled = set()
    for _, action in scene.clips(armature, exported.settings):
        for curve in versions.fcurves(action, armature):
            if curve.data_path.startswith("pose.bones[") and curve.data_path.endswith("].scale"):
                if any(abs(point.co[1] - 1) > 1e-3 for point in curve.keyframe_points):
                    scaled.add(curve.data_path.split('"')[1])
    if scaled:
        found.warning(
            f"clips scale {_bones(sorted(scaled))} of '{armature.name}', and its skins have Preserve Volume:"
            " dual quaternions of Pelt are rigid; use linear blend if the scale shows",
            armature,
            sorted(scaled),
        )


def _check_names(armature, exported, bake, found):
    """Bones that a rig would name, such as those of bendy limbs, and that share their names with others."""
    if bake or not scene.bendy_bones(armature):
        return
    taken = {thing.name for thing in exported.objects}
    other = {bone.name for thing in exported.armatures if thing != armature for bone in thing.data.bones}
    doubled = [bone.name for bone in armature.data.bones if bone.name in taken or bone.name in other]
    if doubled:
        found.error(
            f"the name of {_bones(doubled)} of '{armature.name}' is also that of an object or of a bone of "
            "another armature: a rig cannot tell them apart",
            armature,
            doubled,
        )


def _check_layers(panel, exported, found):
    names = {thing.name for thing in exported.meshes}
    rest = json.loads(panel.rest) if panel.rest else {}
    muscles = {muscle.get("name") for muscle in rest.get("muscles", [])}
    for item in panel.layers:
        if item.object is None and item.target != "*" and item.target not in muscles:
            found.error(f"a layer is for the mesh '{item.target}', which no longer exists: remove the layer")
            continue
        if item.object is not None and item.object.name not in names:
            found.error(f"a layer is for '{item.object.name}', which is not exported", item.object)
            continue
        layer = rig.layer_of(item)
        sentence = schema.wrong(layer.get("parameters", {}), {"$ref": f"#/$defs/{layer['deformer']}"}, "parameters")
        sentence = sentence or schema.wrong(layer.get("mask", {}), {"$ref": "#/$defs/mask"}, "mask")
        if sentence:
            found.error(f"a layer of {item.deformer} for '{layer['target']}': {sentence}", item.object)
        group = derive.group_of(layer.get("mask", {}).get("attribute", ""))
        if group and (item.object is None or group[0] not in item.object.vertex_groups):
            found.error(
                f"a layer for '{layer['target']}' is masked by the vertex group '{group[0]}', which does not exist",
                item.object,
            )
        driver = layer.get("parameters", {}).get("driver", {}).get("mesh", "")
        if driver and driver not in names and driver not in muscles:
            found.error(
                f"a layer for '{layer['target']}' follows '{driver}', which is not exported", item.object
            )


def _count(vertices):
    return "1 vertex" if len(vertices) == 1 else f"{len(vertices)} vertices"


def _bones(names):
    shown = ", ".join(f"'{name}'" for name in names[:3])
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{'bone' if len(names) == 1 else 'bones'} {shown}{more}"
