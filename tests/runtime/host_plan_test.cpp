// SPDX-License-Identifier: MIT
// Tests that the host plans frames as the device does.
#include "runtime/host_plan.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include <pelt/bind.h>
#include <pelt/linear_fit.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/transfer.h>

#include "runtime/gpu_characters.h"
#include "runtime/skinning_pipelines.h"
#include "tests/runtime/crowds.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

// A character of linear blend, one of a surface FFD with a fit, and one that the crowd has no instance of.
class PlannedFrames : public Crowds {
 protected:
  using Pair = std::array<std::uint32_t, 2>;
  using Entries = std::vector<std::vector<shared::ListEntry>>;  // for each character

  void SetUp() override {
    Crowds::SetUp();
    const Character ffd = test::judged_by(model_, "surface-ffd").character;
    const Character linear = test::judged_by(model_, "linear-blend").character;
    LinearFitOptions fit_options;
    fit_options.clip_poses = 1;
    fit_options.random_poses = 2;
    const Character fitted = test::must(fit_linear_blend(ffd, fit_options)).character;
    gpu_.emplace(test::must(upload(*gpu_device(), std::vector<Character>{linear, fitted, ffd})));
    plan_ = place_crowd(gpu_->state(), {70, 33, 0}, false);
    plan_crowd(gpu_->state(), {.bounds = true}, plan_);
  }

  // Returns entries of random instances, each at most once, in random states.
  Entries random_entries(std::mt19937& random) const {
    Entries entries(plan_.characters.size());
    for (std::size_t c = 0; c < entries.size(); ++c) {
      for (std::uint32_t i = 0; i < plan_.characters[c].instances; ++i) {
        if (random() % 3 == 0) continue;
        const auto below = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
        const std::uint32_t share = below(3) == 0 ? below(256) : 255 * below(2);
        const std::uint32_t flags = below(5) == 0 ? shared::kEntryHold : 0;
        entries[c].push_back({i, shared::entry_state(flags, below(3), below(3), share)});
      }
      std::shuffle(entries[c].begin(), entries[c].end(), random);
    }
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
    Planned planned{.lists = std::vector<std::vector<Pair>>(plan_.table.list_is_read.size()),
                    .workgroups = std::move(workgroups)};
    for (std::size_t j = 0; j < plan_.table.jobs.size(); ++j) {
      planned.starts.push_back(pair_at(work, plan_.first_start + j));
      const std::uint32_t list = plan_.table.jobs[j].list;
      const shared::PlanCharacter& character = plan_.table.characters[list / shared::kListKinds];
      std::vector<Pair>& found = planned.lists[list];
      found.clear();
      const std::size_t first = character.first_list + list % shared::kListKinds * character.capacity;
      for (std::size_t i = 0; i < planned.starts.back()[1]; ++i) found.push_back(pair_at(work, first + i));
      std::sort(found.begin(), found.end());
    }
    return planned;
  }

  Planned plan_on_host(const Entries& entries) const {
    std::vector<std::byte> work(8 * plan_.work_pairs);
    HostPlan host(plan_);
    host.begin(work.data());
    for (std::size_t c = 0; c < entries.size(); ++c) {
      for (const shared::ListEntry& entry : entries[c]) host.add(c, entry);
    }
    host.finish();
    std::vector<std::uint32_t> workgroups;
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) workgroups.push_back(host.workgroups(s));
    return sorted(work, workgroups);
  }

  Planned plan_on_device(const Entries& entries) const {
    std::vector<std::uint32_t> given(plan_.characters.size() + 2 * plan_.instances);
    std::vector<std::uint32_t> table;
    const auto append = [&](const auto& values) {
      for (const auto& value : values) {
        const auto* words = reinterpret_cast<const std::uint32_t*>(&value);
        table.insert(table.end(), words, words + sizeof(value) / sizeof(std::uint32_t));
      }
    };
    append(plan_.table.characters);
    append(plan_.table.jobs);
    append(plan_.table.steps);
    for (std::size_t c = 0; c < entries.size(); ++c) {
      given[c] = static_cast<std::uint32_t>(entries[c].size());
      if (entries[c].empty()) continue;
      std::memcpy(&given[plan_.table.characters[c].first_given], entries[c].data(),
                  entries[c].size() * sizeof(shared::ListEntry));
    }
    const auto make = [](std::size_t bytes, MemoryUse memory) {
      return test::must(
          Buffer::create(*gpu_device(), {.size = bytes,
                                         .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                         .memory = memory,
                                         .name = "of a plan"}));
    };
    const auto filled = [&](const std::vector<std::uint32_t>& words) {
      Buffer buffer = make(words.size() * sizeof(std::uint32_t), MemoryUse::kStream);
      std::memcpy(buffer.mapped(), words.data(), buffer.size());
      buffer.flush(0, buffer.size());
      return buffer;
    };
    const Buffer given_buffer = filled(given);
    const Buffer table_buffer = filled(table);
    const Buffer work = make(8 * plan_.work_pairs, MemoryUse::kDeviceLocal);
    const Buffer arguments = make(plan_.steps.size() * sizeof(VkDispatchIndirectCommand), MemoryUse::kDeviceLocal);
    const ComputeKernel& kernel = test::must(skinning_pipelines(*gpu_device()))->plan;
    DescriptorPool pool = test::must(DescriptorPool::create(*gpu_device(), 1, shared::kPlanBindCount, "a plan"));
    const VkDescriptorBufferInfo bindings[] = {work.whole(), given_buffer.whole(), table_buffer.whole(),
                                               arguments.whole()};
    const VkDescriptorSet set = test::must(pool.make_set(kernel, bindings));
    const shared::PlanConstants constants{.character_count = static_cast<std::uint32_t>(plan_.characters.size()),
                                          .job_count = static_cast<std::uint32_t>(plan_.table.jobs.size()),
                                          .step_count = static_cast<std::uint32_t>(plan_.steps.size()),
                                          .first_count = plan_.first_count,
                                          .first_start = plan_.first_start,
                                          .most_workgroups = gpu_device()->limits().maxComputeWorkGroupCount[0]};
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

  std::optional<GpuCharacters> gpu_;
  CrowdPlan plan_;
};

TEST_F(PlannedFrames, AreTheSameOnTheHostAndOnTheDevice) {
  std::mt19937 random(3);
  for (int frame = 0; frame < 8; ++frame) {
    const Entries entries = frame == 0 ? Entries(3) : random_entries(random);
    const Planned host = plan_on_host(entries);
    const Planned device = plan_on_device(entries);
    EXPECT_EQ(host.starts, device.starts) << "frame " << frame;
    EXPECT_EQ(host.lists, device.lists) << "frame " << frame;
    EXPECT_EQ(host.workgroups, device.workgroups) << "frame " << frame;
    if (frame == 0) continue;
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) EXPECT_GT(host.workgroups[s], 0u) << plan_.steps[s].name;
  }
}

}  // namespace
}  // namespace pelt::runtime
