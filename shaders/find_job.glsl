// SPDX-License-Identifier: MIT
// Finds the job of a workgroup, and its instance (jobs.h).
layout(binding = kBindWork, scalar) readonly buffer Work { uvec2 work_words[]; };

struct JobWork {
  uint job;        // index in the table
  uint block;      // block of the job's items
  uint list_place; // of the instance in the job's list
  bool inside;     // false: the workgroup has no job
};

JobWork find_job(uint workgroup, JobRange range) {
  uint found = 0u;
  for (uint end = range.job_count; end - found > 1u;) {
    uint middle = (found + end) / 2u;
    if (work_words[range.first_start + middle].x <= workgroup) found = middle;
    else end = middle;
  }
  uvec2 start = work_words[range.first_start + found];
  uint count = max(start.y, 1u);
  uint own = workgroup - start.x;
  return JobWork(range.first_job + found, own / count, own % count, start.y > 0u);
}

// Returns entry `place` of the list that starts at `list_first`.
ListEntry list_entry(uint list_first, uint place) {
  uvec2 words = work_words[list_first + place];
  return ListEntry(words.x, words.y);
}
