// SPDX-License-Identifier: MIT
// Walks a crowd of several characters past a camera, all in one Crowd: poses them, with less detail far away, culls
// them on the device, and writes a picture.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pelt/runtime/crowd.h>
#include <pelt/runtime/gpu_timer.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/upload.h>
#include <pelt/try.h>

#include "samples/crowd/characters.h"
#include "samples/crowd/culling.h"
#include "samples/crowd/march.h"
#include "samples/program.h"
#include "samples/renderer/image.h"
#include "samples/renderer/renderer.h"

namespace pelt::samples {
namespace {

constexpr float kFrameSeconds = 1.0f / 60;

// Level of detail of a figure: the taller the figure in the picture, the finer the level.
struct Level {
  float least_pixels;
  Detail detail;
  std::uint32_t update_every;  // frames
  const char* name;
};
constexpr std::array<Level, 3> kLevels{{{56, Detail::kFull, 1, "in full"},
                                        {36, Detail::kFull, 2, "in full, every other frame"},
                                        {0, Detail::kLinearBlend, 3, "by linear blend, every third frame"}}};

struct Options {
  std::vector<std::string> files;
  std::uint32_t instances = 1000;
  std::uint32_t frames = 60;
  RendererOptions picture{.width = 1280, .height = 720, .samples = 8};
  std::string device;
  std::string output = "crowd.png";
};

struct Seconds {
  double posing = 0;
  double device = 0;  // from the crowd's first command to its last
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Poses the crowd, and makes a scene of it. Instance i of the crowd is walker i.
class March {
 public:
  March(const std::vector<Walking>& cast, runtime::Crowd& crowd, CrowdCulling& culling, std::vector<Walker> walkers,
        float height, const RendererOptions& picture)
      : cast_(cast),
        crowd_(crowd),
        culling_(culling),
        walkers_(std::move(walkers)),
        height_(height),
        pixels_(static_cast<float>(picture.height)),
        camera_(frame(static_cast<float>(picture.width) / static_cast<float>(picture.height))),
        seen_by_(camera_, static_cast<float>(picture.width) / static_cast<float>(picture.height)),
        worlds_(walkers_.size()),
        levels_(walkers_.size()),
        seen_(walkers_.size()) {}

  // Does what a game does before it records: decides for every instance how to move it, and poses it.
  void step(float seconds) {
    for (std::uint32_t i = 0; i < walkers_.size(); ++i) {
      const Walking& walking = cast_[walkers_[i].character];
      worlds_[i] = world_of(walkers_[i], height_, seconds);
      const glm::vec3 center(worlds_[i] * glm::vec4(walking.bounds.center(), 1.0f));
      culling_.place(i, worlds_[i]);
      set_level(i, pixels_ * seen_by_.share_of_picture(center, walking.bounds.size().y));
      local_.resize(walking.character->skeleton.joints.size());
      joints_.resize(local_.size());
      const float duration = walking.clip ? walking.character->clips[*walking.clip].duration : 0.0f;
      pose_at(walking, walkers_[i].pace * seconds + walkers_[i].phase * duration, local_, joints_);
      crowd_.pose(i, joints_);
    }
  }

  std::array<glm::vec4, 4> planes() const { return seen_by_.planes(); }
  void see(const std::vector<std::uint32_t>& instances) {
    for (const std::uint32_t i : instances) seen_[i] = true;
  }

  // Returns a scene of the visible instances; neighbouring instances of a character share one item.
  Scene scene() {
    Scene scene{.camera = camera_};
    scene.ground_height = 1e30f;
    for (const Walking& walking : cast_) scene.ground_height = std::min(scene.ground_height, walking.bounds.low.y);
    for (std::uint32_t i = 0; i < walkers_.size();) {
      std::uint32_t end = i + 1;
      while (end < walkers_.size() && seen_[end] && walkers_[end].character == walkers_[i].character) ++end;
      if (seen_[i]) {
        const Walking& walking = cast_[walkers_[i].character];
        DrawItem item;
        item.crowd = &crowd_;
        item.instance = i;
        item.character = &walking.character;
        item.bounds = walking.bounds;
        item.world = worlds_[i];
        item.others = std::span(worlds_).subspan(i + 1, end - i - 1);
        item.color = walking.color;
        scene.items.push_back(item);
      }
      i = seen_[i] ? end : i + 1;
    }
    return scene;
  }

  void print() const {
    std::array<std::uint32_t, kLevels.size()> counts{};
    std::uint64_t vertices = 0;
    for (std::uint32_t i = 0; i < walkers_.size(); ++i) {
      if (!seen_[i]) continue;
      ++counts[*levels_[i]];
      vertices += crowd_.vertex_count(i);
    }
    const auto seen = std::count(seen_.begin(), seen_.end(), true);
    fmt::print("{} of them in view, with {} vertices, which alone are moved\n", seen, vertices);
    for (std::size_t l = 0; l < kLevels.size(); ++l) fmt::print("  {:4} {}\n", counts[l], kLevels[l].name);
  }

 private:
  // Frames the middle files of the crowd; those at the edges leave the picture.
  Camera frame(float aspect) const {
    float widest = 0;
    for (const Walker& walker : walkers_) widest = std::max(widest, std::abs(walker.place.x));
    std::vector<Bounds> boxes;
    for (const Walker& walker : walkers_) {
      if (std::abs(walker.place.x) > 0.55f * widest + height_) continue;
      boxes.push_back(transform_bounds(world_of(walker, height_, 0.5f), cast_[walker.character].bounds));
    }
    return frame_camera(boxes, aspect, {.yaw = 0.28f, .pitch = 0.38f, .vertical_fov = 0.60f, .margin = 1.02f});
  }

  void set_level(std::uint32_t instance, float pixels) {
    std::size_t level = 0;
    while (level + 1 < kLevels.size() && pixels < kLevels[level].least_pixels) ++level;
    if (levels_[instance] == level) return;
    crowd_.detail(instance, kLevels[level].detail);
    crowd_.update_every(instance, kLevels[level].update_every);
    levels_[instance] = level;
  }

  const std::vector<Walking>& cast_;
  runtime::Crowd& crowd_;
  CrowdCulling& culling_;
  std::vector<Walker> walkers_;
  float height_;
  float pixels_;  // height of the picture
  Camera camera_;
  SeenBy seen_by_;
  std::vector<glm::mat4> worlds_;
  std::vector<std::optional<std::size_t>> levels_;  // index in kLevels for each instance; none at first
  std::vector<bool> seen_;                          // in the last frame
  std::vector<Transform> local_;
  std::vector<glm::mat4> joints_;
};

// Poses the crowd, moves it and waits for the device; a game does not wait.
Result<Seconds> run_frame(const runtime::Device& device, runtime::Crowd& crowd, const CrowdCulling& culling,
                          March& march, std::optional<runtime::GpuTimer>& timer, float seconds) {
  Seconds made;
  const auto start = std::chrono::steady_clock::now();
  march.step(seconds);
  made.posing = seconds_since(start);
  const auto submitted = std::chrono::steady_clock::now();
  PELT_TRY(runtime::submit_and_wait(device, "frame", [&](VkCommandBuffer commands) {
    if (timer) {
      timer->reset(commands);
      timer->stamp(commands);
    }
    crowd.record_pose(commands);
    culling.record(device, commands, march.planes());
    crowd.record_blend(commands);
    if (timer) timer->stamp(commands);
  }));
  made.device = seconds_since(submitted);
  if (timer) {
    PELT_ASSIGN(const auto stamps, timer->seconds());
    made.device = stamps.back();
  }
  return made;
}

Result<void> run(const Options& options) {
  PELT_ASSIGN(const auto cast, options.files.empty() ? built_in_characters() : load_characters(options.files));
  std::vector<Character> characters;
  float height = 0;
  for (const Walking& walking : cast) {
    characters.push_back(walking.character);
    height = std::max(height, walking.bounds.size().y);
  }
  std::vector<Walker> walkers =
      line_up(options.instances, static_cast<std::uint32_t>(characters.size()), std::max(height, 1e-3f));

  PELT_ASSIGN(const auto device, runtime::Device::create({.select = options.device}));
  PELT_ASSIGN(const auto uploaded, runtime::upload(device, characters));
  runtime::CrowdOptions crowd_options;
  crowd_options.instances.assign(characters.size(), 0);
  for (const Walker& walker : walkers) ++crowd_options.instances[walker.character];
  crowd_options.outputs.bounds = true;
  PELT_ASSIGN(auto culling, CrowdCulling::create(device, options.instances));
  crowd_options.drawn = culling.drawn();
  PELT_ASSIGN(auto crowd, runtime::Crowd::create(device, uploaded, crowd_options));
  PELT_TRY(culling.read(crowd));
  March march(cast, crowd, culling, std::move(walkers), height, options.picture);

  std::optional<runtime::GpuTimer> timer;
  if (runtime::GpuTimer::supported(device)) {
    PELT_ASSIGN(timer, runtime::GpuTimer::create(device, 2));
  }
  Seconds sum;
  for (std::uint32_t frame = 0; frame < options.frames; ++frame) {
    PELT_ASSIGN(const auto took,
                run_frame(device, crowd, culling, march, timer, kFrameSeconds * static_cast<float>(frame)));
    sum.posing += took.posing;
    sum.device += took.device;
  }

  fmt::print("{} instances of {} characters on {}:", options.instances, cast.size(), device.description().name);
  for (std::size_t c = 0; c < cast.size(); ++c) {
    fmt::print("{} {} {}", c == 0 ? "" : ",", crowd_options.instances[c], cast[c].name);
  }
  const double frames = options.frames;
  fmt::print("\n{} frames: each {:.2f} ms to pose, {:.2f} ms on the device, {} dispatches, {} barriers\n",
             options.frames, 1e3 * sum.posing / frames, 1e3 * sum.device / frames, crowd.passes().size(),
             crowd.barrier_count());
  PELT_ASSIGN(const auto seen, culling.seen(device));
  march.see(seen);
  march.print();

  PELT_ASSIGN(auto renderer, Renderer::create(device, options.picture));
  PELT_ASSIGN(const auto image, renderer.render(march.scene()));
  PELT_TRY(write_png(options.output, image));
  fmt::print("wrote {}\n", options.output);
  return {};
}

std::optional<ImageSize> picture_size(std::string_view text) { return parse_size(text, 1, 16384); }

int run_program(int argc, char** argv) {
  CLI::App app("A crowd of several characters walks, in one dispatch a stage, and is drawn.", "pelt_crowd");
  app.allow_windows_style_options(false);  // a path may begin with a slash
  Options options;
  std::string size = "1280x720";
  app.add_option("files", options.files, "Characters, mixed evenly (default: the built-in biped by four deformers)")
      ->type_name("FILE.pelt");
  app.add_option("--instances", options.instances, "How many walk")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--frames", options.frames, "How many frames are moved and timed, 60 to a second")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--size", size, "Pixels of the picture")
      ->check(parsed_by(picture_size, "WxH, 1 to 16384 pixels each"))
      ->capture_default_str()
      ->type_name("WxH");
  app.add_option("--samples", options.picture.samples, "Samples that the picture is the mean of")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--device", options.device,
                 "Index or part of the name of the Vulkan device (default: $PELT_DEVICE, or the most capable)")
      ->type_name("NAME");
  app.add_option("-o,--output", options.output, "The picture")->capture_default_str()->type_name("FILE.png");
  app.footer("Exit codes: 0 done, 1 failed, 2 wrong usage.");
  return parse_and_run(app, argc, argv, [&] {
    const ImageSize pixels = *picture_size(size);
    options.picture.width = pixels.width;
    options.picture.height = pixels.height;
    return run(options);
  });
}

}  // namespace
}  // namespace pelt::samples

int main(int argc, char** argv) {
  return pelt::samples::run_main("pelt_crowd", pelt::samples::run_program, argc, argv);
}
