// SPDX-License-Identifier: MIT
// A thousand characters in a game's renderer: culled on the device, with levels of detail, shadows and motion vectors,
// in a world that they enter and leave. One kind is loaded while frames run.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include <pelt/try.h>

#include "samples/engine/engine.h"
#include "samples/program.h"
#include "samples/renderer/image.h"

namespace pelt::samples {
namespace {

struct Options {
  std::vector<std::string> files;
  std::uint32_t instances = 1000;
  std::size_t triangles = 6000;  // of a built-in character
  std::uint32_t frames = 60;
  float rate = 60;  // frames per second of the world's time
  PassSizes sizes;
  GameDeviceOptions device;
  bool validation = false;
  bool wait = false;
  bool seldom = false;
  bool props = false;
  std::string output = "game.png";
  std::string motion;
};

// Loads the last of several characters while frames run.
void choose_characters(const std::vector<std::string>& files, std::size_t triangles, EngineOptions& options) {
  if (files.empty()) {
    const BuiltInOptions built_in{
        .triangles = triangles, .levels = {triangles * 3 / 10, triangles / 9}, .props = options.props};
    for (std::uint32_t which = 0; which < kBuiltInCharacters; ++which) {
      options.first.push_back([=] { return built_in_character(which, built_in); });
    }
  }
  for (const std::string& file : files) {
    options.first.push_back([file] { return load_walking(file); });
  }
  if (options.first.size() == 1) return;
  options.later = options.first.back();
  options.first.pop_back();
}

// Returns motion vectors as colours: grey is still, red moves right, green down; 8 pixels are the full range.
Image motion_picture(const std::vector<glm::vec2>& motion, VkExtent2D size) {
  Image image{.width = size.width, .height = size.height, .pixels = {}};
  for (const glm::vec2& vector : motion) {
    const glm::vec2 part = glm::clamp(127.5f + vector * (127.5f / 8), 0.0f, 255.0f);
    image.pixels.insert(image.pixels.end(),
                        {static_cast<std::uint8_t>(part.x), static_cast<std::uint8_t>(part.y), 127, 255});
  }
  return image;
}

void print_room(const char* name, const runtime::CrowdRoom& room) {
  fmt::print("  {:16} {:9} of {:9}, largest piece free {:9}\n", name, room.capacity - room.free, room.capacity,
             room.largest_free);
}

void print(const Engine& engine, const Options& options) {
  const EngineStatistics& made = engine.statistics();
  const Scene& scene = engine.scene();
  const double frames = static_cast<double>(made.frames);
  const GameDevice& device = engine.device();
  constexpr double kMiB = 1 << 20;
  fmt::print("{} walkers on {}, compute {}\n", options.instances, device.pelt().description().name,
             device.compute_family() == device.graphics_family() ? "on the queue that draws" : "on a queue of its own");
  fmt::print("{} frames: mean {:.2f} ms, worst {:.2f} ms; {} dispatches, {} barriers and 3 draw calls each\n",
             made.frames, 1e3 * made.seconds / frames, 1e3 * made.worst_seconds, engine.dispatches(),
             engine.barriers());
  fmt::print("mean per frame: {} posed, {:.0f} moved, {:.0f} in view, {:.0f} indirect draws\n", options.instances,
             static_cast<double>(made.drawn) / frames, static_cast<double>(made.seen) / frames,
             static_cast<double>(made.draws) / frames);
  for (std::uint32_t level = 0; level < shared::kLevelCount; ++level) {
    fmt::print("  {:5} in view at level {} in the last frame\n", made.last.shown[level], level);
  }
  fmt::print("{} came, {} left, {} times there was no room\n", scene.events().came, scene.events().left,
             scene.events().waited);
  if (made.joined) {
    fmt::print("{} was uploaded in {} parts and joined in frame {}\n", scene.kinds().back().walking.name,
               made.upload_frames, *made.joined);
  }
  const runtime::CrowdRooms rooms = engine.crowd().rooms();
  fmt::print("room of the crowd, taken:\n");
  print_room("instances", rooms.instances);
  print_room("vertices", rooms.vertices);
  print_room("palette entries", rooms.palette_entries);
  print_room("driver vertices", rooms.driver_vertices);
  print_room("joints", rooms.joints);
  print_room("inputs", rooms.inputs);
  fmt::print("memory: {} pieces; the crowd has {:.1f} MiB, bind data {:.1f}\n", device.memory().pieces(),
             static_cast<double>(engine.crowd().bytes().total()) / kMiB,
             static_cast<double>(engine.characters().bytes()) / kMiB);
  for (const runtime::MemoryHeap& heap : device.pelt().memory_heaps()) {
    fmt::print("  heap of {:.0f} MiB{}: {}\n", static_cast<double>(heap.size) / kMiB,
               heap.device_local ? ", the device's own" : "",
               heap.budget
                   ? fmt::format("{:.0f} MiB used of a budget of {:.0f}", static_cast<double>(heap.usage) / kMiB,
                                 static_cast<double>(*heap.budget) / kMiB)
                   : "the driver reports no budget");
  }
}

Result<void> run(const Options& options) {
  std::atomic<std::uint32_t> messages = 0;
  EngineOptions engine_options{.device = options.device,
                               .sizes = options.sizes,
                               .walkers = options.instances,
                               .seldom = options.seldom,
                               .props = options.props && options.files.empty(),
                               .first = {},
                               .later = {}};
  if (options.validation) {
    engine_options.device.on_validation_message = [&](const std::string& message) {
      ++messages;
      fmt::print(stderr, "validation: {}\n", message);
    };
  }
  choose_characters(options.files, options.triangles, engine_options);
  {
    PELT_ASSIGN(const auto engine, Engine::create(engine_options));
    for (std::uint32_t frame = 0; frame < options.frames; ++frame) {
      if (options.wait) engine->wait_for_later();
      PELT_TRY(engine->frame(1 / options.rate, frame + 1 == options.frames));
    }
    PELT_TRY(engine->finish());
    print(*engine, options);
    PELT_TRY(write_png(options.output, engine->picture()));
    fmt::print("wrote {}\n", options.output);
    if (!options.motion.empty()) {
      PELT_TRY(write_png(options.motion, motion_picture(engine->motion(), options.sizes.picture)));
      fmt::print("wrote {}\n", options.motion);
    }
  }
  if (messages > 0) return fail(ErrorCode::kDeviceFailed, fmt::format("{} validation messages", messages.load()));
  return {};
}

std::optional<ImageSize> picture_size(std::string_view text) { return parse_size(text, 1, 8192); }

int run_program(int argc, char** argv) {
  CLI::App app("A thousand characters in a game's renderer, culled on the device.", "pelt_game");
  app.allow_windows_style_options(false);  // a path may begin with a slash
  Options options;
  std::string size = "1280x720";
  app.add_option("files", options.files,
                 "Characters; the last is loaded while frames run (default: the built-in biped by four deformers)")
      ->type_name("FILE.pelt");
  app.add_option("--instances", options.instances, "Number of walkers")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--frames", options.frames, "Number of frames; the last is written")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--triangles", options.triangles, "Triangles of each built-in character at its finest level")
      ->check(CLI::Range(200, 20'000))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--rate", options.rate, "Frames per second of the world's time, however long they take")
      ->check(CLI::Range(0.1f, 1000.0f))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--size", size, "Pixels of the picture")
      ->check(parsed_by(picture_size, "WxH, 1 to 8192 pixels each"))
      ->capture_default_str()
      ->type_name("WxH");
  app.add_option("--shadow", options.sizes.shadow, "Texels per side of the shadow map")
      ->check(CLI::Range(16, 16384))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--device", options.device.select,
                 "Index or part of the name of the Vulkan device (default: $PELT_DEVICE, else the most capable)")
      ->type_name("NAME");
  app.add_flag("--one-queue", options.device.one_queue,
               "Compute runs on the queue that draws, even if there is another");
  app.add_flag("--seldom", options.seldom,
               "Walkers at level n are posed every n + 1 frames, beyond level 0 by linear blend");
  app.add_flag("--props", options.props, "The built-in characters have swords, buttons and beards, at anchors");
  app.add_flag("--wait", options.wait, "Waits for the later character, so that each run makes the same picture");
  app.add_flag("--validation", options.validation, "Runs under the validation layer; its messages fail the run");
  app.add_option("-o,--output", options.output, "The picture")->capture_default_str()->type_name("FILE.png");
  app.add_option("--motion", options.motion, "The motion vectors as a picture, 8 pixels per frame at full colour")
      ->type_name("FILE.png");
  app.footer("Exit codes: 0 done, 1 failed, 2 wrong usage.");
  return parse_and_run(app, argc, argv, [&] {
    const ImageSize pixels = *picture_size(size);
    options.sizes.picture = {pixels.width, pixels.height};
    return run(options);
  });
}

}  // namespace
}  // namespace pelt::samples

int main(int argc, char** argv) { return pelt::samples::run_main("pelt_game", pelt::samples::run_program, argc, argv); }
