# SPDX-License-Identifier: MIT
"""Converts FBX to .glb with Blender, and keeps skins, clips, morph targets and names:

    blender --background --factory-startup --python-exit-code 1 --python fbx_to_glb.py -- IN.fbx OUT.glb [options]

Afterwards `pelt bind OUT.glb --deformer ... -o OUT.glb` binds it.
"""
import argparse
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pelt_deformers import versions


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="fbx_to_glb.py", description="Converts FBX to .glb, with skins, clips and morphs"
    )
    parser.add_argument("fbx")
    parser.add_argument("glb")
    parser.add_argument("--fps", type=float, help="sampling rate of the clips; default: that of the FBX file")
    parser.add_argument("--leaf-bones", action="store_true", help="keep the end bones that FBX exporters add")
    options = parser.parse_args(arguments)
    versions.mend_numpy()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    # If the importer fails, it raises an exception, and the exit code is 1.
    bpy.ops.import_scene.fbx(
        filepath=os.path.abspath(options.fbx),
        use_anim=True,
        anim_offset=0.0,
        ignore_leaf_bones=not options.leaf_bones,
        automatic_bone_orientation=False,
        use_prepost_rot=True,
    )
    if options.fps:
        bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = (
            round(options.fps),
            round(options.fps) / options.fps,
        )
    things = list(bpy.context.scene.objects)
    for thing in things:
        thing.hide_viewport = thing.hide_render = False
    name_clips(things)
    unite_clips(things)
    bpy.ops.export_scene.gltf(
        filepath=os.path.abspath(options.glb),
        export_format="GLB",
        export_all_influences=True,
        export_anim_single_armature=False,
        export_nla_strips=True,
        export_morph=True,
        export_apply=False,
        export_frame_range=False,
    )
    report(options.glb)


def name_clips(things):
    """Gives actions the names that clips have in the FBX file.

    Blender calls them object|clip|layer or object|clip; clips that Blender itself wrote are also called object|clip.
    """
    names = {thing.name for thing in things}
    for action in bpy.data.actions:
        parts = action.name.split("|")[1:] or [action.name]
        action["clip"] = parts[1] if len(parts) > 1 and parts[0] in names else parts[0]


def unite_clips(things):
    """Puts every action on a track named after its clip, so that the actions of one clip become one clip.

    FBX has one clip for all objects. The importer makes one action per object, and assigns only the last clip.
    """
    animated = {}
    for thing in things:
        animated[thing.name] = thing
        keys = getattr(thing.data, "shape_keys", None) if thing.type == "MESH" else None
        if keys is not None:
            animated[keys.name] = keys
    for owner in animated.values():
        if owner.animation_data is not None:
            owner.animation_data.action = None
    for action in sorted(bpy.data.actions, key=lambda action: action.name):
        owner = owner_of(action, animated)
        if owner is None:
            print(f"fbx_to_glb: the action '{action.name}' belongs to no object, and is left out")
            continue
        track = owner.animation_data_create().nla_tracks.new()
        track.name = action["clip"]
        track.strips.new(action["clip"], int(action.frame_range[0]), action)
        track.mute = True
    for action in bpy.data.actions:
        del action["clip"]


def owner_of(action, animated):
    """The object or keys that an action moves: by its name, or else the first that has all properties it keys."""
    said = animated.get(action.name.split("|")[0])
    fitting = [owner for owner in animated.values() if fits(action, owner)]
    return said if said is not None and said in fitting else fitting[0] if fitting else None


def fits(action, owner):
    for curve in versions.fcurves(action):
        if curve.data_path.startswith("key_blocks[") != isinstance(owner, bpy.types.Key):
            return False
        try:
            owner.path_resolve(curve.data_path)
        except ValueError:
            return False
    return True


def report(path):
    from pelt_deformers import glb

    content = glb.File(path).json
    joints = {joint for skin in content.get("skins", []) for joint in skin["joints"]}
    targets = {name for mesh in content["meshes"] for name in mesh.get("extras", {}).get("targetNames", [])}
    clips = [animation.get("name", "") for animation in content.get("animations", [])]
    print(
        f"fbx_to_glb: {path}: {len(content['meshes'])} meshes, {len(joints)} joints, {len(targets)} morph targets, "
        f"{len(clips)} clips: {', '.join(clips)}"
    )


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else [])
