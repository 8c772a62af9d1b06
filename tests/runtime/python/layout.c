/* SPDX-License-Identifier: MIT */
/* Prints the structs that the Python package declares anew, as the compiler lays them out: a line STRUCT SIZE, then a
 * line STRUCT.FIELD OFFSET SIZE for each field; and the numbers of both ABIs. */
#include <stddef.h>
#include <stdio.h>

#include <pelt/pelt.h>
#include <pelt/pelt_binder.h>

#define STRUCT(name) printf(#name " %zu\n", sizeof(name))
#define FIELD(name, field) printf(#name "." #field " %zu %zu\n", offsetof(name, field), sizeof(((name*)0)->field))

static void print_character(void) {
  STRUCT(pelt_character_info);
  FIELD(pelt_character_info, struct_size);
  FIELD(pelt_character_info, joint_count);
  FIELD(pelt_character_info, mesh_count);
  FIELD(pelt_character_info, clip_count);
  FIELD(pelt_character_info, stream_count);
  FIELD(pelt_character_info, control_count);
  FIELD(pelt_character_info, input_count);
  FIELD(pelt_character_info, vertex_count);
  FIELD(pelt_character_info, size);
  FIELD(pelt_character_info, least);
  FIELD(pelt_character_info, greatest);
  FIELD(pelt_character_info, coarsest_level);
  FIELD(pelt_character_info, name);
  STRUCT(pelt_joint_info);
  FIELD(pelt_joint_info, struct_size);
  FIELD(pelt_joint_info, parent);
  FIELD(pelt_joint_info, name);
  FIELD(pelt_joint_info, rest);
  FIELD(pelt_joint_info, inverse_bind);
  STRUCT(pelt_mesh_info);
  FIELD(pelt_mesh_info, struct_size);
  FIELD(pelt_mesh_info, control);
  FIELD(pelt_mesh_info, vertex_count);
  FIELD(pelt_mesh_info, triangle_count);
  FIELD(pelt_mesh_info, name);
  FIELD(pelt_mesh_info, triangles);
  FIELD(pelt_mesh_info, uvs);
  FIELD(pelt_mesh_info, source_vertex);
  FIELD(pelt_mesh_info, rest_positions);
  FIELD(pelt_mesh_info, first_vertex);
  FIELD(pelt_mesh_info, reserved);
  STRUCT(pelt_clip_info);
  FIELD(pelt_clip_info, struct_size);
  FIELD(pelt_clip_info, duration);
  FIELD(pelt_clip_info, name);
  STRUCT(pelt_stream_info);
  FIELD(pelt_stream_info, struct_size);
  FIELD(pelt_stream_info, mesh);
  FIELD(pelt_stream_info, vertex_count);
  FIELD(pelt_stream_info, first_input);
  STRUCT(pelt_control_info);
  FIELD(pelt_control_info, struct_size);
  FIELD(pelt_control_info, kind);
  FIELD(pelt_control_info, input);
  FIELD(pelt_control_info, rest);
  FIELD(pelt_control_info, name);
}

static void print_evaluator(void) {
  STRUCT(pelt_evaluator_options);
  FIELD(pelt_evaluator_options, struct_size);
  FIELD(pelt_evaluator_options, normal_mode);
  FIELD(pelt_evaluator_options, no_normals);
  FIELD(pelt_evaluator_options, no_tangents);
  FIELD(pelt_evaluator_options, no_morphs);
  FIELD(pelt_evaluator_options, same_everywhere);
  FIELD(pelt_evaluator_options, for_ranges);
  FIELD(pelt_evaluator_options, for_ranges_user);
  STRUCT(pelt_evaluated);
  FIELD(pelt_evaluated, struct_size);
  FIELD(pelt_evaluated, vertex_count);
  FIELD(pelt_evaluated, positions);
  FIELD(pelt_evaluated, normals);
  FIELD(pelt_evaluated, tangents);
  STRUCT(pelt_vertex_array);
  FIELD(pelt_vertex_array, values);
  FIELD(pelt_vertex_array, stride);
  FIELD(pelt_vertex_array, reserved);
  STRUCT(pelt_vertex_arrays);
  FIELD(pelt_vertex_arrays, struct_size);
  FIELD(pelt_vertex_arrays, vertex_count);
  FIELD(pelt_vertex_arrays, positions);
  FIELD(pelt_vertex_arrays, normals);
  FIELD(pelt_vertex_arrays, tangents);
}

static void print_binder(void) {
  STRUCT(pelt_binder_bind_options);
  FIELD(pelt_binder_bind_options, struct_size);
  FIELD(pelt_binder_bind_options, threads);
  FIELD(pelt_binder_bind_options, rig);
  FIELD(pelt_binder_bind_options, rig_text);
  FIELD(pelt_binder_bind_options, preset);
  FIELD(pelt_binder_bind_options, deformer);
  FIELD(pelt_binder_bind_options, driver);
  FIELD(pelt_binder_bind_options, weights_of);
  FIELD(pelt_binder_bind_options, judging);
  FIELD(pelt_binder_bind_options, keep_vertex_order);
  FIELD(pelt_binder_bind_options, any_file);
  FIELD(pelt_binder_bind_options, reserved);
  FIELD(pelt_binder_bind_options, user);
  FIELD(pelt_binder_bind_options, progress);
  FIELD(pelt_binder_bind_options, stop);
  STRUCT(pelt_binder_quality_options);
  FIELD(pelt_binder_quality_options, struct_size);
  FIELD(pelt_binder_quality_options, deformer_count);
  FIELD(pelt_binder_quality_options, deformers);
  FIELD(pelt_binder_quality_options, rig);
  FIELD(pelt_binder_quality_options, rig_text);
  FIELD(pelt_binder_quality_options, poses);
  FIELD(pelt_binder_quality_options, frames);
  FIELD(pelt_binder_quality_options, clips);
  FIELD(pelt_binder_quality_options, no_fallback);
  FIELD(pelt_binder_quality_options, user);
  FIELD(pelt_binder_quality_options, progress);
  FIELD(pelt_binder_quality_options, any_file);
  FIELD(pelt_binder_quality_options, reserved);
  FIELD(pelt_binder_quality_options, stop);
}

int main(void) {
  print_character();
  print_evaluator();
  print_binder();
  printf("PELT_ABI_VERSION %d\nPELT_BINDER_ABI_VERSION %d\n", PELT_ABI_VERSION, PELT_BINDER_ABI_VERSION);
  return 0;
}
