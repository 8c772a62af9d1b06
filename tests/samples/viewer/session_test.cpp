// SPDX-License-Identifier: MIT
// The viewer's handling of a failing device and of broken files, without a window.
#include "samples/viewer/app/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include <pelt/pelt_file.h>
#include <pelt/rig.h>
#include <pelt/rig_json.h>

#include "runtime/device_internals.h"
#include "samples/viewer/app/ui.h"
#include "tests/samples/viewer/limb_surface.h"
#include "tests/support/driven.h"
#include "tests/support/gpu.h"
#include "tests/support/must.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"

namespace pelt::viewer {
namespace {

using test::gpu_device;
using testing::HasSubstr;
using namespace nlohmann::literals;

constexpr VkExtent2D kTargetSize{320, 240};

// Makes a device lose itself at a submission, of the viewer or of the runtime.
void lose_submits(runtime::DeviceFunctions& functions) {
  functions.vkQueueSubmit = [](VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence) { return VK_ERROR_DEVICE_LOST; };
  functions.vkQueueSubmit2 = [](VkQueue, std::uint32_t, const VkSubmitInfo2*, VkFence) { return VK_ERROR_DEVICE_LOST; };
}
VKAPI_ATTR VkResult VKAPI_CALL lose_wait(VkDevice, std::uint32_t, const VkFence*, VkBool32, std::uint64_t) {
  return VK_ERROR_DEVICE_LOST;
}
VKAPI_ATTR VkResult VKAPI_CALL refuse_buffer(VkDevice, const VkBufferCreateInfo*, const VkAllocationCallbacks*,
                                             VkBuffer*) {
  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

class Sessions : public testing::Test {
 protected:
  void SetUp() override { PELT_REQUIRE_GPU(gpu_device()); }

  void begin(bool waits = true) {
    ImGui::GetIO().DisplaySize = {static_cast<float>(kTargetSize.width), static_cast<float>(kTargetSize.height)};
    ImGui::GetIO().DeltaTime = 1.0f / 60;
    SessionOptions options;
    options.device = test::validated_options();
    options.app = {.samples = 2, .samples_per_frame = 1, .waits = waits};
    options.make_target = [this](const runtime::Device& device) -> Result<Target> {
      if (refusals_ > 0) {
        --refusals_;
        return fail(ErrorCode::kDeviceFailed, "the test refuses it");
      }
      ++devices_;
      Result<Target> target = Target::offscreen(device, kTargetSize);
      functions_ = &device.internals().functions;
      if (always_lost_) lose_submits(*functions_);
      return target;
    };
    session_ = test::must(Session::create(std::move(options)));
    app().view().panels = {.left = false, .right = false, .timeline = false};
  }

  App& app() { return session_->app(); }

  void frames(int count = 3) {
    for (int i = 0; i < count; ++i) test::must(session_->frame(0, false));
  }

  void open(const std::string& file) {
    app().open(file);
    frames();
  }

  // Returns a picture with all samples, after all notes have faded.
  samples::Image picture() {
    EXPECT_TRUE(session_->frame(0, false));
    EXPECT_TRUE(session_->frame(60, false));
    EXPECT_TRUE(session_->frame(0, true));
    return test::must(session_->target()->read_back());
  }

  samples::Image picture_of_limb() {
    begin();
    open("builtin:limb");
    app().view().playback.playing = false;
    return picture();
  }

  Ui ui_{1};
  runtime::DeviceFunctions* functions_ = nullptr;  // the current device's
  int devices_ = 0;                                // devices made so far
  int refusals_ = 0;                               // refusals still to come
  bool always_lost_ = false;
  std::unique_ptr<Session> session_;
};

TEST_F(Sessions, MakeALostDeviceAnewAndSaySo) {
  const samples::Image before = picture_of_limb();
  lose_submits(*functions_);
  frames();
  EXPECT_EQ(devices_, 2);
  EXPECT_EQ(app().error_count(), 0u);
  const samples::Image noted = *session_->target()->read_back();
  EXPECT_NE(noted.pixels, before.pixels) << "there is no note";
  EXPECT_EQ(picture().pixels, before.pixels);

  functions_->vkWaitForFences = lose_wait;
  frames();
  EXPECT_EQ(devices_, 3);
  EXPECT_EQ(picture().pixels, before.pixels);
}

TEST_F(Sessions, TryAgainWhereADeviceCannotBeMade) {
  const samples::Image before = picture_of_limb();
  refusals_ = 6;
  lose_submits(*functions_);
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(test::refused(session_->frame(0, false), "the test refuses it"));
    EXPECT_EQ(session_->target(), nullptr);
  }
  frames();
  EXPECT_EQ(devices_, 2);
  EXPECT_EQ(picture().pixels, before.pixels);
}

TEST_F(Sessions, PauseWhereADeviceIsLostAgainAndAgain) {
  begin();
  open("builtin:limb");
  always_lost_ = true;
  lose_submits(*functions_);
  frames(3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(test::refused(session_->frame(0, false), "the device was lost"));
  always_lost_ = false;
  frames();
  EXPECT_NE(app().picture(), VK_NULL_HANDLE);
}

TEST_F(Sessions, ShowCharactersWithLevelsOfDetail) {
  Model model = test::make_tube();
  model.levels.push_back({0, 1, test::make_tube_mesh({.around = 6, .along = 8})});
  model.levels.back().mesh.name = "tube_LOD1";
  const test::TemporaryFolder folder;
  const std::string file = folder / "levels.pelt";
  test::must(save_pelt(test::bound_by(model, "surface-ffd"), file));
  begin();
  open(file);
  EXPECT_EQ(app().error_count(), 0u) << app().last_error();
  ASSERT_NE(app().picture(), VK_NULL_HANDLE);
  app().view().heat.kind = HeatKind::kGpuError;
  app().view().shown.drivers = true;
  for (const std::uint32_t level : {0u, 1u, 0u}) {
    app().view().level = level;
    frames();
    EXPECT_EQ(app().error_count(), 0u) << app().last_error();
    EXPECT_NE(app().picture(), VK_NULL_HANDLE);
  }
}

TEST_F(Sessions, KeepWhatIsOpenWhereAFileIsWrongOrThereIsNoMemoryForMore) {
  begin();
  open("builtin:limb");
  const std::string clip = app().view().playback.clip;
  open("/no/such/file.glb");
  EXPECT_EQ(app().error_count(), 1u);
  EXPECT_THAT(app().last_error(), HasSubstr("/no/such/file.glb"));
  const PFN_vkCreateBuffer create = functions_->vkCreateBuffer;
  functions_->vkCreateBuffer = refuse_buffer;
  open("builtin:arm");
  EXPECT_EQ(devices_, 1);
  EXPECT_EQ(app().error_count(), 2u);
  EXPECT_THAT(app().last_error(), HasSubstr("builtin:arm"));
  EXPECT_THAT(app().last_error(), HasSubstr("out of device memory"));
  EXPECT_NE(app().picture(), VK_NULL_HANDLE);
  EXPECT_EQ(app().view().playback.clip, clip);
  functions_->vkCreateBuffer = create;
  open("builtin:arm");
  EXPECT_EQ(app().error_count(), 2u);
  EXPECT_NE(app().view().playback.clip, clip);
}

// A key steps through the deformers.
TEST_F(Sessions, StepsThroughTheDeformers) {
  begin();
  open("builtin:arm");
  ViewState& view = app().view();
  view.playback.playing = false;
  const float time = view.playback.time;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i <= deformer_names().size(); ++i) {
    for (const bool down : {true, false}) {
      ImGui::GetIO().KeysDown[static_cast<int>('X')] = down;
      frames(1);
    }
    shown.push_back(view.compare.mode == CompareMode::kSplit ? view.compare.deformers.at(0) : "rig");
    EXPECT_EQ(view.playback.time, time);
  }
  EXPECT_EQ(shown.front(), "linear_blend");
  EXPECT_EQ(shown.back(), "rig");
  EXPECT_EQ(std::set<std::string>(shown.begin(), shown.end()).size(), shown.size());
}

// Two control vertices that are dragged, and those within the brush, move the skin as a bind of the saved rig does;
// undo brings it back.
TEST_F(Sessions, MoveControlVerticesAsASavedRigHasThem) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("rig.json", format_rig(limb_surface())).string();
  const auto show = [&] {
    app().open(file, "builtin:limb");
    frames();
    ViewState& view = app().view();
    view.playback = {.clip = "bend", .time = 0.8f};
    view.camera = {.target = {3, 1, 0}, .distance = 20, .framed = true};
    view.shown.control_nets = true;
    view.surfaces = {.level = 1, .radius = 1.5f};
    view.selection = {.point = "surface level 1 vertex 114", .further = {"surface level 1 vertex 154"}};
    frames();
  };
  begin();
  show();
  const samples::Image before = picture();
  ASSERT_TRUE(app().move_point("surface level 1 vertex 114", {0.1f, 0.4f, 0}));
  ASSERT_TRUE(app().save());
  const samples::Image moved = picture();
  EXPECT_TRUE(moved.pixels != before.pixels);
  show();
  EXPECT_TRUE(picture().pixels == moved.pixels);
  const auto saved = nlohmann::json::parse(test::file_text(file));
  EXPECT_GT(saved.at("/layers/0/parameters/levels/1/moves"_json_pointer).size(), 2u) << "those within the brush, too";
  ASSERT_TRUE(app().move_point("surface level 1 vertex 114", {0.1f, 0.4f, 0}));
  app().undo();
  EXPECT_TRUE(picture().pixels == moved.pixels);
  EXPECT_EQ(app().error_count(), 0u) << app().last_error();
}

// The old character is drawn until the new one is ready, also if the device is lost meanwhile.
TEST_F(Sessions, OpenInTheBackground) {
  begin(false);
  const auto open_by_frames = [&](const std::string& file, bool lose, bool has_picture) {
    const std::string clip = app().view().playback.clip;
    app().open(file);
    if (lose) lose_submits(*functions_);
    for (int i = 0; i < 100'000 && app().view().playback.clip == clip; ++i) {
      frames(1);
      if (has_picture && !lose) {
        EXPECT_NE(app().picture(), VK_NULL_HANDLE);
      }
      std::this_thread::yield();
    }
    EXPECT_NE(app().view().playback.clip, clip) << file;
    EXPECT_NE(app().picture(), VK_NULL_HANDLE);
    EXPECT_EQ(app().error_count(), 0u) << app().last_error();
  };
  open_by_frames("builtin:limb", false, false);
  open_by_frames("builtin:arm", false, true);
  open_by_frames("builtin:limb", true, true);
  EXPECT_EQ(devices_, 2);
}

}  // namespace
}  // namespace pelt::viewer
