// SPDX-License-Identifier: MIT
// The room that characters, plans and buffers take.
#include <algorithm>

#include "runtime/plan/crowd_plan.h"
#include "shaders/anchor/anchor.h"
#include "shaders/bounds/bounds.h"
#include "shaders/pose_pass.h"
#include "shaders/tension/tension.h"

namespace pelt::runtime {
namespace {

// The numbers of a capacity other than instances.
constexpr std::uint64_t CrowdCapacity::*kAmounts[] = {&CrowdCapacity::vertices,        &CrowdCapacity::palette_entries,
                                                      &CrowdCapacity::driver_vertices, &CrowdCapacity::joints,
                                                      &CrowdCapacity::inputs,          &CrowdCapacity::anchors,
                                                      &CrowdCapacity::plan_words,      &CrowdCapacity::table_words};

// The most words of padding, since the jobs of a pass begin at a multiple of their size.
constexpr std::uint64_t kMaxPadding =
    (sizeof(shared::PoseJob) + sizeof(shared::BlendJob) + sizeof(shared::BoundsJob) + sizeof(shared::TensionJob) +
     sizeof(shared::AnchorJob) + sizeof(shared::MeshLocation)) /
    sizeof(std::uint32_t);

}  // namespace

CrowdCapacity& CrowdCapacity::operator+=(const CrowdCapacity& other) {
  instances += other.instances;
  for (const auto amount : kAmounts) this->*amount += other.*amount;
  return *this;
}

CrowdCapacity larger(CrowdCapacity a, const CrowdCapacity& b) {
  a.instances = std::max(a.instances, b.instances);
  for (const auto amount : kAmounts) a.*amount = std::max(a.*amount, b.*amount);
  return a;
}

std::uint64_t largest_amount(const CrowdCapacity& capacity) {
  std::uint64_t most = 0;
  for (const auto amount : kAmounts) most = std::max(most, capacity.*amount);
  return most;
}

CrowdCapacity capacity_of(const Character& character, std::uint32_t instances, const PlannedOutputs& outputs) {
  const CrowdPlan plan = plan_ahead({&character, 1}, outputs, {});
  const CrowdCharacter& planned = *plan.characters[0];
  const std::uint64_t n = instances;
  return {.instances = instances,
          .vertices = n * planned.vertices,
          .palette_entries = n * planned.palette_entries,
          .driver_vertices = n * planned.driver_vertices,
          .joints = n * planned.joints,
          .inputs = n * planned.inputs,
          .anchors = n * planned.anchors,
          .plan_words = fixed_words(plan) + kMaxPadding + n * list_words(plan, 0),
          .table_words = table_words(plan.table)};
}

std::uint64_t bytes_of(FrameBuffer buffer, const CrowdCapacity& capacity) {
  switch (buffer) {
    case FrameBuffer::kWork:
      return (2 * (shared::kHeaderPairs + std::uint64_t{shared::kLocationPairs} * capacity.instances) +
              capacity.plan_words + kMaxPadding) *
             sizeof(std::uint32_t);
    case FrameBuffer::kPlanTable:
      return capacity.table_words * sizeof(std::uint32_t);
    case FrameBuffer::kArguments:  // there are at most as many steps as jobs
      return capacity.table_words / 2 * 3 * sizeof(std::uint32_t);
    case FrameBuffer::kJoints:
      return capacity.joints * sizeof(shared::Affine);
    case FrameBuffer::kInputs:
      return capacity.inputs * sizeof(float);
    case FrameBuffer::kPalettes:  // drivers follow, and a range begins at a multiple of 256 bytes on any device
      return (capacity.palette_entries * sizeof(shared::Affine) + 255) / 256 * 256;
    case FrameBuffer::kDrivers:
      return std::max<std::uint64_t>(capacity.driver_vertices * sizeof(glm::vec3), 16);
    case FrameBuffer::kPalettesAndDrivers:
      return bytes_of(FrameBuffer::kPalettes, capacity) + bytes_of(FrameBuffer::kDrivers, capacity);
    case FrameBuffer::kList:
    case FrameBuffer::kDrawnList:
      return sizeof(std::uint32_t) + capacity.instances * sizeof(shared::ListEntry);
    case FrameBuffer::kMemory:
    case FrameBuffer::kDrawnMemory:
      return capacity.instances * sizeof(shared::InstanceMemory);
    default:
      return 0;
  }
}

std::uint64_t fixed_words(const CrowdPlan& plan) {
  return plan.jobs.size() + 2 * (shared::kStartPairs * plan.table.jobs.size() + plan.table.lists.size());
}

std::uint64_t table_words(const PlanTable& table) {
  return 4 * table.characters.size() +
         2 * (table.levels.size() + table.lists.size() + table.jobs.size() + table.steps.size());
}

std::uint64_t list_words(const CrowdPlan& plan, std::size_t character) {
  const auto first = plan.table.lists.begin() + plan.table.characters[character].first_list;
  const auto read = std::count_if(first, first + plan.characters[character]->list_count(),
                                  [](shared::PlanList list) { return list.first_in_list != shared::kNoIndex; });
  return static_cast<std::uint64_t>(read) * sizeof(shared::ListEntry) / sizeof(std::uint32_t);
}

std::uint64_t list_words(const CrowdPlan& plan, const std::vector<std::uint32_t>& instances) {
  std::uint64_t words = 0;
  for (std::size_t c = 0; c < plan.characters.size(); ++c) {
    if (plan.characters[c]) words += instances[c] * list_words(plan, c);
  }
  return words;
}

}  // namespace pelt::runtime
