// SPDX-License-Identifier: MIT
// The job of a workgroup (jobs.h). Include it after the declarations of `jobs` and `range`.
uint find_job(uint workgroup) {
  uint found = range.first_job;
  for (uint end = range.first_job + range.job_count; end - found > 1u;) {
    uint middle = (found + end) / 2u;
    if (jobs[middle].first_workgroup <= workgroup) found = middle;
    else end = middle;
  }
  return found;
}
