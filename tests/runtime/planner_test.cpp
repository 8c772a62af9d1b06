// SPDX-License-Identifier: MIT
// Tests the frames of crowds as data, without a device.

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <pelt/runtime/bind_data.h>
#include <pelt/runtime/crowd_lists.h>
#include <pelt/runtime/crowd_planner.h>
#include <pelt/runtime/misuse.h>

#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/tube.h"

namespace pelt::runtime {
namespace {

using Kind = FrameCommand::Kind;
using enum FrameBuffer;

constexpr std::uint32_t kInFlight = 2;

// A crowd without a device. It uploads as a recorder does whose device cannot read the host's memory.
class HostCrowd : public CrowdPlanner {
 public:
  using CrowdPlanner::plan_ahead;

  HostCrowd(const std::vector<Character>& characters, const CrowdCapacity& capacity, bool host_list = true)
      : CrowdPlanner(Options{.label = "crowd of the host",
                             .capacity = capacity,
                             .frames_in_flight = kInFlight,
                             .streams = std::vector<OutputStreams>(3),
                             .host_list = host_list}) {
    std::vector<HostMemory> memory(kInFlight);
    for (const FrameBuffer buffer : {kWork, kPlanTable, kJoints, kInputs})
      host_[buffer].assign(kInFlight, std::vector<std::byte>(bytes_of(buffer, capacity)));
    for (std::uint32_t s = 0; s < kInFlight; ++s)
      memory[s] = {host_[kWork][s].data(), host_[kPlanTable][s].data(), host_[kJoints][s].data(),
                   host_[kInputs][s].data()};
    device_ = host_;
    use_memory(memory);
    Characters placed;
    for (const Character& character : characters) {
      const BindData data(character);
      std::vector<std::byte> part(data.bytes());
      placed.push_back(data.write(0, 0, part.data()));
    }
    test::must(use_characters(placed, [&](std::span<const FrameDispatch> dispatches) -> Result<void> {
      for (const FrameDispatch& dispatch : dispatches) prepared.push_back(dispatch.kernel);
      return {};
    }));
  }

  // Returns the next frame or part of one; null: misuse.
  const CrowdFrame* record(FramePart part, const std::optional<std::span<const shared::ListEntry>>& list = {}) {
    const CrowdFrame* frame = next_frame(part, list);
    if (frame == nullptr) return nullptr;
    for (const HostWrite& write : frame->writes) {
      const std::vector<std::byte>& from = host_.at(write.buffer)[frame->frame_copy];
      EXPECT_LE(write.offset + write.size, from.size());
      std::copy_n(from.begin() + std::ptrdiff_t(write.offset), write.size,
                  device_.at(write.buffer)[frame->frame_copy].begin() + std::ptrdiff_t(write.offset));
    }
    EXPECT_EQ(device_, host_) << "something is written that `writes` does not have";
    end_frame(part);
    return frame;
  }

  std::vector<Kernel> prepared;

 private:
  std::map<FrameBuffer, std::vector<std::vector<std::byte>>> host_;  // by frame in flight
  std::map<FrameBuffer, std::vector<std::vector<std::byte>>> device_;
};

class PlannedCrowds : public testing::Test {
 protected:
  PlannedCrowds() {
    for (const char* deformer : {"linear-blend", "surface-ffd"})
      characters_.push_back(test::bound_with(model_, deformer).character);
    for (const Character& character : characters_) capacity_ += capacity_of(character, 3, PlannedOutputs{});
    crowd_.emplace(characters_, capacity_);
    on_misuse([](const char* sentence) { said() = sentence; });
    said().clear();
  }
  ~PlannedCrowds() override { on_misuse(nullptr); }
  static std::string& said() {
    static std::string sentence;
    return sentence;
  }

  Model model_ = test::make_tube();
  std::vector<Character> characters_;
  CrowdCapacity capacity_;
  std::optional<HostCrowd> crowd_;
};

// HostCrowd::record compares all that the host has with what a device would.
TEST_F(PlannedCrowds, NameAllThatTheyWrite) {
  CrowdLists lists(capacity_.instances);
  std::vector<std::uint32_t> instances;
  for (std::uint32_t frame = 0; frame < 12; ++frame) {
    if (frame % 3 == 0 && frame < 9) {
      for (const std::uint32_t c : {0u, 1u}) instances.push_back(test::must(crowd_->acquire(c)));
    }
    if (frame == 7) crowd_->release(instances[1]);
    if (frame == 8) test::must(crowd_->set_outputs(instances[0], false));
    if (frame % 2 == 0) crowd_->pose(instances[0], test::bind_matrices(model_));
    lists.show(instances.back(), frame % 4 != 1);
    const CrowdFrame* planned = crowd_->record(FramePart::kWhole, lists.next());
    ASSERT_NE(planned, nullptr);
    EXPECT_EQ(planned->number, frame);
    EXPECT_EQ(planned->frame_copy, frame % kInFlight);
    EXPECT_EQ(planned->output_slot, frame % 3);
  }
}

TEST_F(PlannedCrowds, WriteTheirPlanOncePerFrameInFlight) {
  test::must(crowd_->acquire(0));
  const auto written = [&] {
    std::vector<std::uint64_t> offsets;
    for (const HostWrite& write : crowd_->record(FramePart::kWhole)->writes) {
      if (write.buffer == kWork) offsets.push_back(write.offset);
    }
    return offsets;
  };
  // The header, places of instances, jobs; states of instances, lists.
  for (std::uint32_t frame = 0; frame < kInFlight; ++frame) EXPECT_EQ(written().size(), 5u);
  const std::vector<std::uint64_t> later = written();
  EXPECT_EQ(later.size(), 3u);
  EXPECT_EQ(later, written());
  EXPECT_EQ(later[1], sizeof(shared::TableHeader));
  EXPECT_GT(later[2], later[1] + capacity_.instances * sizeof(shared::InstanceLocation)) << "the jobs are between";
  test::must(crowd_->acquire(1));
  EXPECT_EQ(written().size(), 4u) << "and the new place";
}

TEST_F(PlannedCrowds, OmitWhatHasNothingToDo) {
  const auto workgroups = [&](const std::optional<std::span<const shared::ListEntry>>& list) {
    std::map<std::string, std::uint32_t> made;
    Kind before = Kind::kDispatch;
    const CrowdFrame* frame = crowd_->record(FramePart::kWhole, list);
    EXPECT_EQ(frame->commands[0].kind, Kind::kBarrier);
    for (const FrameCommand& command : frame->commands) {
      EXPECT_FALSE(command.kind == Kind::kBarrier && before == Kind::kBarrier);
      before = command.kind;
      if (command.kind != Kind::kDispatch) continue;
      EXPECT_FALSE(command.indirect);
      made[frame->dispatches[command.dispatch].name] = command.workgroups;
    }
    EXPECT_EQ(before, Kind::kDispatch);
    EXPECT_EQ(made.size(), crowd_->passes().names.size());
    return made;
  };
  const std::uint32_t linear = test::must(crowd_->acquire(0));
  const std::uint32_t deformed = test::must(crowd_->acquire(1));
  for (const auto& [name, count] : workgroups(std::span<const shared::ListEntry>())) EXPECT_EQ(count, 0u) << name;
  for (const auto& [name, count] : workgroups({})) EXPECT_GT(count, 0u) << name;
  const shared::ListEntry only_linear{linear, 0};
  const auto of_linear = workgroups(std::span(&only_linear, 1));
  EXPECT_EQ(of_linear.at("blend of drivers"), 0u);
  const shared::ListEntry both[] = {only_linear, {deformed, 0}};
  const auto of_skins = [](const std::map<std::string, std::uint32_t>& made) {
    std::uint32_t sum = 0;
    for (const auto& [name, count] : made) sum += name.starts_with("blend of skins") ? count : 0;
    return sum;
  };
  EXPECT_GT(of_skins(workgroups(both)), of_skins(of_linear));
}

// The first frame of a crowd whose device plans zeroes the memory of its plans, later ones do not.
TEST_F(PlannedCrowds, LetTheDevicePlan) {
  HostCrowd crowd(characters_, capacity_, false);
  test::must(crowd.acquire(1));
  for (std::uint32_t frame = 0; frame < 3; ++frame) {
    const CrowdFrame* planned = crowd.record(FramePart::kWhole);
    std::span<const FrameCommand> commands = planned->commands;
    if (frame == 0) {
      EXPECT_EQ(commands[0].kind, Kind::kZero);
      EXPECT_EQ(commands[0].zeroed, kMemory);
      commands = commands.subspan(1);
    }
    EXPECT_EQ(commands[0].kind, Kind::kBarrier);
    EXPECT_EQ(commands[0].after_zero, frame == 0);
    EXPECT_TRUE(commands[0].after_indirect);
    EXPECT_EQ(planned->dispatches[commands[1].dispatch].kernel.kind, KernelKind::kPlan);
    EXPECT_EQ(commands[1].workgroups, 1u);
    EXPECT_TRUE(commands[2].before_indirect);
    for (const FrameCommand& command : commands.subspan(3)) {
      EXPECT_EQ(command.indirect, command.kind == Kind::kDispatch);
      EXPECT_NE(command.kind, Kind::kZero);
    }
    const bool has_table = std::any_of(planned->writes.begin(), planned->writes.end(),
                                       [](const HostWrite& write) { return write.buffer == kPlanTable; });
    EXPECT_EQ(has_table, frame < kInFlight);
  }
}

// The declarations of a shader in SPIR-V.
struct Declared {
  std::uint32_t workgroup_size = 0;
  std::uint32_t bindings = 0;
  std::uint32_t specialization = 0;
};
Declared declared_by(std::span<const std::uint32_t> spirv) {
  Declared made;
  for (std::size_t at = 5; at < spirv.size(); at += spirv[at] >> 16) {
    const std::uint32_t* words = &spirv[at];
    const std::uint32_t operation = words[0] & 0xFFFFu;
    if (operation == 16 && words[2] == 17) made.workgroup_size = words[3];  // OpExecutionMode LocalSize
    if (operation != 71) continue;                                          // OpDecorate
    if (words[2] == 33) made.bindings = std::max(made.bindings, words[3] + 1);
    if (words[2] == 1) made.specialization = std::max(made.specialization, words[3] + 1);
  }
  return made;
}

TEST_F(PlannedCrowds, UseKernelsOfTheListOfAll) {
  const std::vector<Kernel> all = all_kernels();
  std::set<std::pair<KernelKind, std::string>> listed;
  for (const Kernel& kernel : all) {
    EXPECT_TRUE(listed.emplace(kernel.kind, kernel.name).second) << kernel.name;
    const Declared declared = declared_by(kernel.spirv);
    EXPECT_EQ(kernel.workgroup_size, declared.workgroup_size) << kernel.name;
    EXPECT_LE(declared.bindings, bindings_of(kernel.kind).size()) << kernel.name;
    EXPECT_LE(declared.specialization, kernel.specialization.size()) << kernel.name;
  }
  std::vector<Kernel> used = crowd_->prepared;
  EXPECT_EQ(used.size(), 3 * crowd_->passes().names.size());
  ASSERT_TRUE(crowd_->plan_ahead(characters_, [&](std::span<const FrameDispatch> dispatches) -> Result<void> {
    for (const FrameDispatch& dispatch : dispatches) used.push_back(dispatch.kernel);
    return {};
  }));
  for (const Kernel& kernel : used) {
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Kernel& known) {
      return known.kind == kernel.kind && known.name == kernel.name && known.spirv.data() == kernel.spirv.data() &&
             known.constant_bytes == kernel.constant_bytes && known.workgroup_size == kernel.workgroup_size &&
             known.specialization.size() == kernel.specialization.size();
    })) << kernel.name;
  }
}

TEST(Workgroups, AreSpreadOverTwoDimensions) {
  using Grid = std::array<std::uint32_t, 2>;
  EXPECT_EQ(spread_workgroups(1, 65535), (Grid{1, 1}));
  EXPECT_EQ(spread_workgroups(65535, 65535), (Grid{65535, 1}));
  EXPECT_EQ(spread_workgroups(65537, 65535), (Grid{32769, 2}));
}

}  // namespace
}  // namespace pelt::runtime
