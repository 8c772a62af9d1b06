// SPDX-License-Identifier: MIT
// The GLSL half of pose_pass.h: the bindings of a pose pass, without its records, and the work of an invocation.
#include "pose_pass.h"

layout(local_size_x = kPoseWorkgroupSize) in;

layout(binding = kBindWork, std430) readonly buffer Jobs { PoseJob jobs[]; };
layout(binding = kPoseBindJoints, std430) readonly buffer Joints { Affine joints[]; };
layout(binding = kPoseBindVertices, std430) readonly buffer Vertices { PackedVec3 vertices[]; };
layout(binding = kPoseBindPalette, std430) buffer Palette { Affine palette[]; };
layout(binding = kPoseBindTable, std430) readonly buffer Table { uint table[]; };
layout(binding = kPoseBindInputs, std430) readonly buffer Inputs { float inputs[]; };

layout(push_constant, std430) uniform Constants { JobRange range; };

// One record for one instance, or one palette entry of a record if the kernel's invocations pose one entry each.
struct PoseWork {
  bool inside;        // false: this invocation has no record
  uint record;        // index among the kernel's records
  uint record_index;  // index of the record or of the entry within the pass
  uint item;          // index of the entry within the record; 0 if an invocation poses the record
  uint joint_first;   // the instance's joint 0
  uint vertex_first;  // the instance's vertex 0
  uint palette_first; // the instance's palette entry of record 0 of the pass
  uint palette_zero;  // the instance's palette entry 0
  uint table_first;   // word 0 of the pass's table
  uint input_first;   // the instance's input 0
  bool restarts;         // the instance does not continue its last pose
};

// Access functions that the kernels' headers use; interop.h has the C++ half.
uint table_word(PoseWork work, uint i) { return table[work.table_first + i]; }
float table_float(PoseWork work, uint i) { return uintBitsToFloat(table[work.table_first + i]); }
Affine joint_frame(PoseWork work, uint joint) { return joints[work.joint_first + joint]; }
vec3 posed_vertex(PoseWork work, uint vertex) { return unpacked(vertices[work.vertex_first + vertex]); }
float input_value(PoseWork work, uint i) { return inputs[work.input_first + i]; }
float palette_float(PoseWork work, uint i) { return palette[work.palette_zero + i / 12u][i % 12u / 4u][i % 4u]; }
Affine palette_entry(PoseWork work, uint index) { return palette[work.palette_zero + index]; }

#include "find_job.glsl"

// Returns the work of a kernel whose invocations each pose one of the `items` palette entries of a record.
PoseWork pose_item(uint items) {
  JobWork job_work = find_job(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, range);
  InstanceBlock found = block_of_all(job_work);
  PoseJob job = jobs[job_work.job];
  PoseWork work;
  work.record_index = found.block * kPoseWorkgroupSize + gl_LocalInvocationID.x;
  work.inside = found.inside && work.record_index < job.record_count * items;
  ListEntry entry = ListEntry(0u, 0u);
  if (work.inside) entry = list_entry(job_work, found.list_index);
  work.inside = work.inside && entry_is_posed(entry.state);
  InstanceLocation place = instance_location(entry.instance);
  work.restarts = (entry.state & kEntryRestart) != 0u;
  work.record = job.first_record + work.record_index / items;
  work.item = work.record_index % items;
  work.joint_first = place.first_joint;
  work.vertex_first = place.first_driver;
  work.palette_first = place.first_palette + job.first_entry;
  work.palette_zero = place.first_palette;
  work.table_first = job.table_first;
  work.input_first = place.first_input;
  return work;
}

// Returns the work of a kernel whose invocations each pose a record.
PoseWork pose_work() { return pose_item(1u); }
