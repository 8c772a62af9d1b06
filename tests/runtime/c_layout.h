/* SPDX-License-Identifier: MIT */
/* The layouts of pelt.h and pelt_binder.h with 64-bit pointers, for C and C++ alike: a library and a program that were
 * compiled years apart rely on them. The names and types in them are held by c_abi_3.txt and binder_abi_2.txt beside
 * this file. Fields may be added at the end of structs that begin with struct_size; anything else needs a new
 * PELT_ABI_VERSION. */
#ifndef PELT_TESTS_RUNTIME_C_LAYOUT_H
#define PELT_TESTS_RUNTIME_C_LAYOUT_H

#include <assert.h>
#include <stddef.h>

#include <pelt/pelt.h>
#include <pelt/pelt_binder.h>

static_assert(PELT_ABI_VERSION == 3 && PELT_BINDER_ABI_VERSION == 2, "");
static_assert(sizeof(pelt_result) == 4 && sizeof(pelt_vertex_format) == 4, "");
static_assert(PELT_OK == 0 && PELT_ERROR_INVALID_ARGUMENT == 1 && PELT_ERROR_NOT_FOUND == 2 &&
                  PELT_ERROR_READ_FAILED == 3 && PELT_ERROR_WRITE_FAILED == 4 && PELT_ERROR_INVALID_FILE == 5 &&
                  PELT_ERROR_UNSUPPORTED == 6 && PELT_ERROR_DEVICE_FAILED == 7 && PELT_ERROR_OUT_OF_MEMORY == 8 &&
                  PELT_ERROR_INTERNAL == 9,
              "");
static_assert(PELT_FORMAT_DEFAULT == 0 && PELT_FORMAT_NONE == 1 && PELT_FORMAT_FLOAT == 2 &&
                  PELT_FORMAT_OCTAHEDRAL16 == 3,
              "");
static_assert(PELT_NORMALS_BLENDED == 0 && PELT_NORMALS_RECOMPUTED == 1, "");
static_assert(PELT_CONTROL_MORPH_TARGET == 0 && PELT_CONTROL_TWIST == 1 && PELT_CONTROL_EXPRESSION == 2 &&
                  PELT_CONTROL_CLOCK == 3,
              "");
static_assert(PELT_ENTRY_TELEPORT == 1 && PELT_ENTRY_HOLD == 2 && PELT_ENTRY_FRESH == 64 && PELT_ENTRY_REPEAT == 128 &&
                  PELT_ENTRY_LINEAR_BLEND == 4 && PELT_ENTRY_LEVELS(5, 9) == 0x2450000 &&
                  PELT_ENTRY_NEW_LEVEL == 0x10000000 && PELT_ENTRY_OTHER_LEVEL == 0x20000000,
              "");
static_assert(sizeof(pelt_list_entry) == 8 && offsetof(pelt_list_entry, state) == 4, "");
static_assert(PELT_PART_POSE == 0 && PELT_PART_BLEND == 1, "");
static_assert(PELT_BINDER_JUDGE_BY_RIG == 0 && PELT_BINDER_JUDGE_REPORT == 1 && PELT_BINDER_JUDGE_NONE == 2 &&
                  PELT_BINDER_POSES_ANY == 0 && PELT_BINDER_POSES_CLIPS == 1 && PELT_BINDER_POSES_SAMPLES == 2,
              "");
static_assert(PELT_ORDER_CHARACTER == 0 && PELT_ORDER_MODEL == 1, "");
static_assert(PELT_DETAIL_FULL == 0 && PELT_DETAIL_LINEAR_BLEND == 1, "");

static_assert(PELT_NONE == 0xFFFFFFFFu && PELT_MAX_BUFFER_USES == 8, "");

#if UINTPTR_MAX == 0xFFFFFFFFFFFFFFFFu
static_assert(sizeof(pelt_character_info) == 72 && offsetof(pelt_character_info, name) == 64, "");
static_assert(sizeof(pelt_joint_info) == 64 && offsetof(pelt_joint_info, name) == 8 &&
                  offsetof(pelt_joint_info, rest) == 16 && offsetof(pelt_joint_info, inverse_bind) == 56,
              "");
static_assert(sizeof(pelt_mesh_info) == 64 && offsetof(pelt_mesh_info, rest_positions) == 48 &&
                  offsetof(pelt_mesh_info, first_vertex) == 56,
              "");
static_assert(sizeof(pelt_clip_info) == 16 && offsetof(pelt_clip_info, name) == 8, "");
static_assert(sizeof(pelt_stream_info) == 16 && offsetof(pelt_stream_info, first_input) == 12, "");
static_assert(sizeof(pelt_control_info) == 24 && offsetof(pelt_control_info, name) == 16, "");
static_assert(sizeof(pelt_bind_options) == 40 && offsetof(pelt_bind_options, progress) == 24 &&
                  offsetof(pelt_bind_options, stop) == 32,
              "");
static_assert(sizeof(pelt_device_description) == 1032 && offsetof(pelt_device_description, missing) == 520, "");
static_assert(sizeof(pelt_memory_piece) == 40 && offsetof(pelt_memory_piece, owner) == 32, "");
static_assert(sizeof(pelt_memory_callbacks) == 24 && offsetof(pelt_memory_callbacks, free) == 16, "");
static_assert(sizeof(pelt_device_handles) == 88 && offsetof(pelt_device_handles, memory) == 56 &&
                  offsetof(pelt_device_handles, debug_utils) == 80 &&
                  offsetof(pelt_device_handles, buffer_device_address) == 84,
              "");
static_assert(sizeof(pelt_device_options) == 32 && offsetof(pelt_device_options, on_validation_message) == 24, "");
static_assert(sizeof(pelt_upload_options) == 16 && offsetof(pelt_upload_options, normal_rings) == 4 &&
                  offsetof(pelt_upload_options, capacity) == 8,
              "");
static_assert(sizeof(pelt_buffer_place) == 16 && offsetof(pelt_buffer_place, offset) == 8, "");
static_assert(sizeof(pelt_vertex_output) == 24 && offsetof(pelt_vertex_output, place) == 8, "");
static_assert(sizeof(pelt_crowd_options) == 360 && offsetof(pelt_crowd_options, positions) == 24 &&
                  offsetof(pelt_crowd_options, bounds_place) == 120 && offsetof(pelt_crowd_options, joints) == 144 &&
                  offsetof(pelt_crowd_options, usage) == 192 && offsetof(pelt_crowd_options, normal_mode) == 196 &&
                  offsetof(pelt_crowd_options, bounds_stride) == 200 &&
                  offsetof(pelt_crowd_options, output_slots) == 204 &&
                  offsetof(pelt_crowd_options, slot_places) == 208 && offsetof(pelt_crowd_options, drawn) == 336 &&
                  offsetof(pelt_crowd_options, capacity) == 352,
              "");
static_assert(sizeof(pelt_slot_places) == 64 && offsetof(pelt_slot_places, bounds) == 48, "");
static_assert(sizeof(pelt_crowd_info) == 56 && offsetof(pelt_crowd_info, output_bytes) == 24, "");
static_assert(sizeof(pelt_instance_info) == 28 && offsetof(pelt_instance_info, first_joint) == 16 &&
                  offsetof(pelt_instance_info, has_outputs) == 24,
              "");
static_assert(sizeof(pelt_crowd_capacity) == 64 && offsetof(pelt_crowd_capacity, vertices) == 8 &&
                  offsetof(pelt_crowd_capacity, table_words) == 56,
              "");
static_assert(sizeof(pelt_room) == 24 && offsetof(pelt_room, largest_free) == 16, "");
static_assert(sizeof(pelt_crowd_rooms) == 152 && offsetof(pelt_crowd_rooms, inputs) == 128, "");
static_assert(sizeof(pelt_memory_heap) == 32 && offsetof(pelt_memory_heap, device_local) == 24, "");
static_assert(sizeof(pelt_buffer_use) == 48 && offsetof(pelt_buffer_use, access) == 40, "");
static_assert(sizeof(pelt_output_place) == 24 && offsetof(pelt_output_place, format) == 16, "");
static_assert(sizeof(pelt_crowd_outputs) == 128 && offsetof(pelt_crowd_outputs, positions) == 8 &&
                  offsetof(pelt_crowd_outputs, bounds) == 104,
              "");
static_assert(sizeof(pelt_evaluator_options) == 40 && offsetof(pelt_evaluator_options, for_ranges_user) == 32, "");
static_assert(sizeof(pelt_evaluated) == 32 && offsetof(pelt_evaluated, tangents) == 24, "");
static_assert(sizeof(pelt_vertex_array) == 16 && offsetof(pelt_vertex_array, stride) == 8, "");
static_assert(sizeof(pelt_vertex_arrays) == 56 && offsetof(pelt_vertex_arrays, tangents) == 40, "");
static_assert(sizeof(pelt_binder_bind_options) == 96 && offsetof(pelt_binder_bind_options, judging) == 56 &&
                  offsetof(pelt_binder_bind_options, any_file) == 64 && offsetof(pelt_binder_bind_options, stop) == 88,
              "");
static_assert(sizeof(pelt_binder_quality_options) == 80 && offsetof(pelt_binder_quality_options, poses) == 32 &&
                  offsetof(pelt_binder_quality_options, progress) == 56 &&
                  offsetof(pelt_binder_quality_options, stop) == 72,
              "");
static_assert(sizeof(pelt_vertices) == 40 && offsetof(pelt_vertices, positions) == 8, "");
#endif

#endif
