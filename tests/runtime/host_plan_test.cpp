// SPDX-License-Identifier: MIT
// Tests that the host plans frames as the device does.
#include "runtime/plan/host_plan.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include <pelt/bind.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/transfer.h>

#include "runtime/device_internals.h"
#include "runtime/gpu_characters.h"
#include "runtime/plan/frame.h"
#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/crowds.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

// A character of linear blend, one of a surface FFD, and one that the crowd has no instance of.
class PlannedFrames : public Crowds {
 protected:
  using Pair = std::array<std::uint32_t, 2>;
  using Entries = std::vector<shared::ListEntry>;

  void SetUp() override {
    Crowds::SetUp();
    const Character ffd = test::bound_with(model_, "surface-ffd").character;
    const Character linear = test::bound_with(model_, "linear-blend").character;
    gpu_.emplace(test::must(upload(*gpu_device(), std::vector<Character>{linear, ffd, ffd})));
    std::vector<std::optional<CrowdCharacter>> characters;
    for (const auto& entry : gpu_->state().entries) characters.emplace_back(CrowdCharacter(*entry, false));
    const std::uint32_t count = instances_[0] + instances_[1] + 2;
    plan_ = plan_crowd(std::move(characters), {.bounds = true}, {.instances = count});
    place_lists(instances_, plan_);
    // The last two places are of no instance, and of one without outputs.
    for (std::uint32_t i = 0; i < count; ++i) places_.push_back({.character = i < instances_[0] ? 0u : 1u});
    places_[count - 2].character = shared::kNoIndex;
    places_[count - 1].first_vertex = shared::kNoIndex;
    work_bytes_ = 8 * (plan_.first_list + 2 * count * plan_.table.lists.size());
  }

  // Returns entries of random instances, each at most once, in random states.
  Entries random_entries(std::mt19937& random) const {
    Entries entries;
    for (std::uint32_t i = 0; i + 2 < places_.size(); ++i) {
      if (random() % 3 == 0) continue;
      const auto below = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
      const std::uint32_t flags =
          (below(2) == 0 ? shared::kEntryStay : 0) | (below(2) == 0 ? shared::kEntryLinearBlend : 0);
      entries.push_back({i, flags | shared::entry_levels(below(3), below(3))});
    }
    std::shuffle(entries.begin(), entries.end(), random);
    return entries;
  }

  // A frame's starts and lists, which are in no order, and the workgroups of each step.
  struct Planned {
    std::vector<Pair> starts;
    std::vector<std::vector<Pair>> lists;
    std::vector<std::uint32_t> workgroups;
  };

  Pair pair_at(const std::vector<std::byte>& work, std::size_t at) const {
    Pair pair;
    std::memcpy(pair.data(), work.data() + 8 * at, 8);
    return pair;
  }
  // Sorts the lists that a job reads, by the lengths that the starts of their jobs say.
  Planned sorted(const std::vector<std::byte>& work, std::vector<std::uint32_t> workgroups) const {
    Planned planned{.lists = std::vector<std::vector<Pair>>(plan_.table.lists.size()),
                    .workgroups = std::move(workgroups)};
    for (std::size_t j = 0; j < plan_.table.jobs.size(); ++j) {
      const std::size_t at = plan_.first_start + shared::kStartPairs * j;
      planned.starts.push_back(pair_at(work, at));
      const std::uint32_t list = plan_.table.jobs[j].list;
      const std::uint32_t in_last_tile = planned.starts.back()[1] % shared::kTileInstances;
      EXPECT_EQ(pair_at(work, at + 1),
                Pair({plan_.table.lists[list].first_in_list, shared::reciprocal_of(in_last_tile)}));
      std::vector<Pair>& found = planned.lists[list];
      found.clear();
      const std::size_t first = plan_.table.lists[list].first_in_list;
      for (std::size_t i = 0; i < planned.starts.back()[1]; ++i) found.push_back(pair_at(work, first + i));
      std::sort(found.begin(), found.end());
    }
    return planned;
  }

  // Makes the memory of a random past, in which nobody has outputs that are older than its generation.
  void remember(std::mt19937& random) {
    memories_.assign(places_.size(), {});
    for (shared::InstanceMemory& memory : memories_) {
      const auto below = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
      if (below(4) == 0) continue;
      memory = {.shown = kFrame - 1 - below(2), .since = kFrame - 1 - below(3)};
      memory.state = shared::entry_levels(below(3), below(3)) | (below(2) == 0 ? shared::kEntryLinearBlend : 0);
      memory.generation = below(5) == 0 ? 1 : 0;
    }
  }

  Planned plan_on_host(const Entries& entries) const {
    std::vector<std::byte> work(work_bytes_);
    HostPlan host;
    host.use(plan_);
    host.begin(work.data());
    for (const shared::ListEntry& entry : entries) {
      const shared::InstanceMemory& memory = memories_[entry.instance];
      const shared::PlannedEntry planned =
          shared::plan_entry(memory.generation == 0 ? memory : shared::InstanceMemory{}, entry.state, kFrame, 1, true);
      if (planned.works) host.add(places_[entry.instance].character, {entry.instance, planned.state});
    }
    host.finish();
    std::vector<std::uint32_t> workgroups;
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) workgroups.push_back(host.workgroups(s));
    return sorted(work, workgroups);
  }

  Planned plan_on_device(const Entries& entries) const {
    // Behind the entries, some that the device must leave out.
    const auto count = static_cast<std::uint32_t>(places_.size());
    std::vector<std::uint32_t> given{static_cast<std::uint32_t>(entries.size()) + 3};
    for (const shared::ListEntry& entry : entries) given.insert(given.end(), {entry.instance, entry.state});
    for (const std::uint32_t instance : {count, count - 1, count - 2}) given.insert(given.end(), {instance, 0});
    std::vector<std::uint32_t> table;
    const auto append = [&](const auto& values) {
      for (const auto& value : values) {
        const auto* words = reinterpret_cast<const std::uint32_t*>(&value);
        table.insert(table.end(), words, words + sizeof(value) / sizeof(std::uint32_t));
      }
    };
    append(plan_.table.characters);
    append(plan_.table.levels);
    append(plan_.table.lists);
    append(plan_.table.jobs);
    append(plan_.table.steps);
    const Buffer given_buffer = filled_buffer(given);
    const Buffer table_buffer = filled_buffer(table);
    const Buffer work = callers_buffer(work_bytes_);
    fill(work, places_, sizeof(shared::TableHeader));
    const Buffer arguments = callers_buffer(plan_.steps.size() * sizeof(VkDispatchIndirectCommand));
    const Buffer memory = filled_buffer(memories_);
    const ComputeKernel& kernel =
        *test::must(pipeline_of(*gpu_device(), dispatches_of(plan_, {}, {.lists_on_device = true}).back().kernel));
    DescriptorPool pool = test::must(DescriptorPool::create(*gpu_device(), 1, shared::kPlanBindCount, "a plan"));
    const VkDescriptorBufferInfo bindings[] = {work.whole(), given_buffer.whole(), table_buffer.whole(),
                                               arguments.whole(), memory.whole()};
    const VkDescriptorSet set = test::must(pool.make_set(kernel, bindings));
    const shared::PlanConstants constants{.character_count = static_cast<std::uint32_t>(plan_.characters.size()),
                                          .levels_count = static_cast<std::uint32_t>(plan_.table.levels.size()),
                                          .list_count = static_cast<std::uint32_t>(plan_.table.lists.size()),
                                          .job_count = static_cast<std::uint32_t>(plan_.table.jobs.size()),
                                          .step_count = static_cast<std::uint32_t>(plan_.steps.size()),
                                          .first_start = plan_.first_start,
                                          .first_count = plan_.first_count,
                                          .instance_count = count,
                                          .most_workgroups = gpu_device()->limits().maxComputeWorkGroupCount[0],
                                          .frame = kFrame,
                                          .slots = 1,
                                          .flags = shared::kPlanCopies};
    EXPECT_TRUE(submit_and_wait(*gpu_device(), "plan", [&](VkCommandBuffer commands) {
      kernel.dispatch(commands, set, std::as_bytes(std::span(&constants, 1)), 1);
    }));
    std::vector<VkDispatchIndirectCommand> dispatches(plan_.steps.size());
    const auto bytes = test::must(read_buffer(*gpu_device(), arguments.handle(), 0, arguments.size()));
    std::memcpy(dispatches.data(), bytes.data(), bytes.size());
    std::vector<std::uint32_t> workgroups;
    for (const VkDispatchIndirectCommand& dispatch : dispatches) workgroups.push_back(dispatch.x * dispatch.y);
    return sorted(test::must(read_buffer(*gpu_device(), work.handle(), 0, work.size())), workgroups);
  }

  static constexpr std::uint32_t kFrame = 9;
  std::vector<shared::InstanceMemory> memories_;
  std::optional<GpuCharacters> gpu_;
  std::vector<std::uint32_t> instances_{70, 33, 0};
  CrowdPlan plan_;
  std::vector<shared::InstanceLocation> places_;
  std::size_t work_bytes_ = 0;
};

TEST_F(PlannedFrames, AreTheSameOnTheHostAndOnTheDevice) {
  std::mt19937 random(3);
  for (int frame = 0; frame < 8; ++frame) {
    const Entries entries = frame == 0 ? Entries() : random_entries(random);
    remember(random);
    const Planned host = plan_on_host(entries);
    const Planned device = plan_on_device(entries);
    EXPECT_EQ(host.starts, device.starts) << "frame " << frame;
    EXPECT_EQ(host.lists, device.lists) << "frame " << frame;
    EXPECT_EQ(host.workgroups, device.workgroups) << "frame " << frame;
    if (frame == 0) continue;
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) EXPECT_GT(host.workgroups[s], 0u) << plan_.steps[s].name;
  }
}

// The dispatches of both parts are those of the whole, with a barrier before each group, and before arguments are read.
TEST_F(PlannedFrames, HaveTheCommandsOfTheirParts) {
  using Kind = FrameCommand::Kind;
  for (const bool drawn : {false, true}) {
    const FrameOptions options{.drawn_on_device = drawn, .zeroed = {FrameBuffer::kDrawnMemory}};
    std::vector<std::size_t> steps[kFrameParts];
    for (const FramePart part : {FramePart::kPose, FramePart::kBlend, FramePart::kWhole}) {
      const std::vector<FrameCommand> commands = commands_of(plan_, options, part);
      const bool zeroes = part != FramePart::kBlend;
      EXPECT_EQ(commands[0].kind, zeroes ? Kind::kZero : Kind::kBarrier);
      EXPECT_EQ(commands[zeroes].after_zero, zeroes);
      EXPECT_EQ(commands[zeroes].after_indirect, drawn);
      FrameCommand last_barrier;
      for (const FrameCommand& command : commands) {
        if (command.kind == Kind::kBarrier) last_barrier = command;
        if (command.kind != Kind::kDispatch || command.dispatch >= plan_.steps.size()) continue;
        EXPECT_EQ(command.indirect, drawn && command.dispatch >= plan_.first_drawing);
        EXPECT_EQ(command.indirect, last_barrier.before_indirect) << plan_.steps[command.dispatch].name;
        steps[static_cast<std::size_t>(part)].push_back(command.dispatch);
      }
    }
    std::vector<std::size_t>& both = steps[0];
    both.insert(both.end(), steps[1].begin(), steps[1].end());
    EXPECT_EQ(both, steps[2]);
    EXPECT_EQ(both.size(), plan_.steps.size());
  }
}

}  // namespace
}  // namespace pelt::runtime
