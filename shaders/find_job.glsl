// SPDX-License-Identifier: MIT
// Finds the job of a workgroup, and its instance (jobs.h).
layout(binding = kBindWork, std430) readonly buffer Work { uvec2 work_words[]; };

struct JobWork {
  uint job;             // index in the table
  uint workgroup;       // of the job
  uint instance_count;  // in the job's list
  uint first_in_list;   // of the list
  uint by_last_tile;    // JobStart
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
  uvec2 list = work_words[at + 1u];
  return JobWork(range.first_job + found, workgroup - start.x, start.y, list.x, list.y);
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

// Returns n / d. `by`: reciprocal_of(d).
uint divided(uint n, uint d, uint by) {
  uint quotient, low;
  umulExtended(n, by, quotient, low);
  return n - quotient * d < d ? quotient : quotient + 1u;
}

// Neighbouring workgroups take one block for all instances of a tile, then the next block; then comes the next tile. So
// caches keep the block's bind data while each instance reads it, and the tile's palettes while each block reads them.
// `blocks`: of the job; `by_blocks`: reciprocal_of(blocks).
InstanceBlock block_of_tile(JobWork work, uint blocks, uint by_blocks) {
  uint in_whole_tiles = work.instance_count - work.instance_count % kTileInstances;
  uint in_last_tile = work.workgroup - blocks * in_whole_tiles;
  bool whole = work.workgroup < blocks * in_whole_tiles;
  uint n = whole ? work.workgroup / kTileInstances : in_last_tile;
  uint d = whole ? blocks : work.instance_count - in_whole_tiles;
  uint quotient = divided(n, d, whole ? by_blocks : work.by_last_tile);
  uint remainder = n - quotient * d;
  InstanceBlock found;
  found.block = whole ? remainder : quotient;
  found.list_index = whole ? quotient * kTileInstances + work.workgroup % kTileInstances : in_whole_tiles + remainder;
  found.inside = work.workgroup < blocks * work.instance_count;
  return found;
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
  return InstanceLocation(a.x, a.y, b.x, b.y, c.x, c.y, 0u, kNoIndex, 0u, 0u,
                          work_words[at + 5u].x, 0u);
}
