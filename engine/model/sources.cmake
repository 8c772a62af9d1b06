# SPDX-License-Identifier: MIT
pelt_folder(character
  animation.cpp helper_joint.cpp point_cache.cpp pose.cpp skeleton.cpp
  HEADERS
  include/pelt/animation.h include/pelt/bendy_bone.h include/pelt/mesh.h include/pelt/model.h
  include/pelt/point_cache.h include/pelt/pose.h include/pelt/skeleton.h)
pelt_folder(glb
  gltf/container.cpp)
pelt_folder(authoring
  affine.cpp bendy_bone.cpp beside.cpp bone_forest.cpp builtin/arm.cpp builtin/biped.cpp builtin/biped_anatomy.cpp
  builtin/biped_clips.cpp builtin/biped_weights.cpp builtin/implicit_surface.cpp builtin/limb.cpp
  builtin/model_builder.cpp builtin/surface_mesher.cpp builtin/tail.cpp gltf/accessor.cpp gltf/animation.cpp
  gltf/attribute.cpp gltf/bendy_bone.cpp gltf/channel.cpp gltf/check.cpp gltf/directions.cpp gltf/document.cpp
  gltf/gltf_export.cpp gltf/gltf_pack.cpp gltf/image.cpp gltf/import.cpp gltf/loader.cpp gltf/lod.cpp gltf/meshopt.cpp
  gltf/morph.cpp gltf/morph_keys.cpp gltf/primitive.cpp gltf/schema.cpp gltf/skeleton.cpp gltf/skin.cpp
  gltf/unread.cpp gltf/vrm.cpp gltf/weights.cpp import.cpp levels.cpp mesh.cpp model.cpp obj/import.cpp
  obj/materials.cpp obj/polygons.cpp tangents.cpp
  HEADERS
  gltf/include/pelt/gltf_export.h gltf/include/pelt/gltf_pack.h include/pelt/builtin.h include/pelt/import.h
  include/pelt/named_files.h)
