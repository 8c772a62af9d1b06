// SPDX-License-Identifier: MIT
// Finds the job of a workgroup, and its instance (jobs.h).
layout(binding = kBindWork, std430) readonly buffer Work { uvec2 work_words[]; };

struct JobWork {
  uint job;             // index in the table
  uint workgroup;       // of the job
  uint instance_count;  // in the job's list
  uint first_in_list;     // of the list
};

JobWork find_job(uint workgroup, JobRange range) {
  uint found = 0u;
  for (uint end = range.job_count; end - found > 1u;) {
    uint middle = (found + end) / 2u;
    if (work_words[range.first_start + kStartPairs * middle].x <= workgroup) found = middle;
    else end = middle;
  }
  uint at = range.first_start + kStartPairs * found;
  uvec2 start = work_words[at];
  return JobWork(range.first_job + found, workgroup - start.x, start.y, work_words[at + 1u].x);
}

// A block of a job's items, for one instance.
struct InstanceBlock {
  uint block;
  uint list_index;  // of the instance in the job's list
  bool inside;      // false: the workgroup has no work
};

// Neighbouring workgroups take the same block of all instances.
InstanceBlock block_of_all(JobWork work) {
  uint count = max(work.instance_count, 1u);
  return InstanceBlock(work.workgroup / count, work.workgroup % count, work.instance_count > 0u);
}

// Neighbouring workgroups take one block for all instances of a tile, then the next block; then comes the next tile. So
// caches keep the block's bind data while each instance reads it, and the tile's palettes while each block reads them.
// `blocks`: of the job.
InstanceBlock block_of_tile(JobWork work, uint blocks) {
  uint tile_workgroups = blocks * kTileInstances;
  uint tile = work.workgroup / tile_workgroups;
  uint in_tile = work.workgroup - tile * tile_workgroups;
  uint first = tile * kTileInstances;
  // At least 1, since workgroups beyond the dispatch's jobs may begin a tile without instances.
  uint count = clamp(work.instance_count - first, 1u, kTileInstances);
  return InstanceBlock(in_tile / count, first + in_tile % count, work.workgroup < blocks * work.instance_count);
}

// Returns entry `place` of the job's list.
ListEntry list_entry(JobWork work, uint place) {
  uvec2 words = work_words[work.first_in_list + place];
  return ListEntry(words.x, words.y);
}

InstanceLocation instance_location(uint instance) {
  uint at = location_pair(instance);
  uvec2 a = work_words[at];
  uvec2 b = work_words[at + 1u];
  uvec2 c = work_words[at + 2u];
  return InstanceLocation(a.x, a.y, b.x, b.y, c.x, c.y, 0u, kNoIndex, 0u, 0u);
}
