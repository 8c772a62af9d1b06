// SPDX-License-Identifier: MIT
#include "tests/fuzz/frames.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>
#include <optional>
#include <vector>

#include <pelt/clip_twists.h>
#include <pelt/evaluate.h>
#include <pelt/pose.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/misuse.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/upload.h>

#include "engine/character/base/hash.h"
#include "tests/fuzz/mutate.h"
#include "tests/support/clip_joints.h"

namespace pelt::fuzz {
namespace {

// Returns a coordinate of a joint as a game may set it; one in sixteen is wild.
float coordinate(Random& random) {
  constexpr float kWild[] = {
      std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 3e38f, -1e25f, 1e12f, 1e-40f, 0};
  if (random() % 16 == 0) return kWild[random() % std::size(kWild)];
  return static_cast<float>(random() % 2001) * 0.01f - 10;
}

std::vector<float> random_floats(std::size_t count, Random& random) {
  std::vector<float> values(count);
  for (float& value : values) value = coordinate(random) * 0.2f;
  return values;
}

// One frame of an instance.
struct Frame {
  std::vector<glm::mat4> joints;
  std::vector<float> inputs;
};

Frame rest_frame(const CharacterData& character) {
  Frame frame{std::vector<glm::mat4>(character.skeleton.joints.size()), std::vector<float>(character.input_count)};
  rest_matrices(character.skeleton, frame.joints);
  rest_inputs(character, frame.inputs);
  return frame;
}

Frame random_frame(const CharacterData& character, Random& random) {
  Frame frame = rest_frame(character);
  frame.inputs = random_floats(frame.inputs.size(), random);
  for (glm::mat4& joint : frame.joints) {
    const glm::vec3 axis(coordinate(random), coordinate(random), 1);
    joint = glm::rotate(joint, coordinate(random), axis);
    if (random() % 4 == 0) joint[3] = glm::vec4(coordinate(random), coordinate(random), coordinate(random), 1);
    if (random() % 8 == 0) joint = glm::scale(joint, glm::vec3(coordinate(random), coordinate(random), 1));
  }
  return frame;
}

// Two frames of each of the first clips.
std::vector<Frame> clip_frames(const CharacterData& character) {
  constexpr std::size_t kMaxClips = 2;
  std::vector<Frame> frames;
  for (std::size_t c = 0; c < std::min(kMaxClips, character.clips.size()); ++c) {
    const Clip& clip = character.clips[c];
    const ClipTwists twists(character, clip);
    for (const float time : {0.3f * clip.duration, clip.duration}) {
      Frame frame = rest_frame(character);
      frame.joints = test::clip_joints(character.skeleton, &clip, time);
      sample_morph_targets(character, clip, time, frame.inputs);
      twists.sample(time, frame.inputs);
      frames.push_back(std::move(frame));
    }
  }
  return frames;
}

template <class Mover>
void give(Mover& mover, const Frame& frame) {
  mover.pose(frame.joints);
  mover.inputs(frame.inputs);
}

void evaluate_frames(const Character& character, const Evaluator::Options& options, Random& random) {
  Evaluator evaluator(character, options);
  const Frame rest = rest_frame(*character);
  give(evaluator, rest);
  evaluator.evaluate();
  const std::vector<glm::vec3> before(evaluator.positions().begin(), evaluator.positions().end());
  for (const Frame& frame : clip_frames(*character)) {
    give(evaluator, frame);
    evaluator.advance(0.02f);
    evaluator.evaluate();
  }
  for (int i = 0; i < 2; ++i) {
    give(evaluator, random_frame(*character, random));
    for (std::size_t s = 0; s < character->streams.size(); ++s) {
      const auto points = character->meshes[character->streams[s].mesh].vertex_count();
      const std::vector<float> values = random_floats(3 * std::size_t{points}, random);
      std::vector<glm::vec3> positions(points);
      std::ranges::copy(std::as_bytes(std::span(values)), std::as_writable_bytes(std::span(positions)).begin());
      evaluator.stream(s, positions);
    }
    if (!character->controls.empty()) evaluator.control(random() % character->controls.size(), coordinate(random));
    evaluator.advance(i == 0 ? 0.1f : coordinate(random));
    evaluator.evaluate();
  }
  give(evaluator, rest);
  evaluator.teleport();
  evaluator.evaluate();
  require(std::ranges::equal(std::as_bytes(std::span(before)), std::as_bytes(evaluator.positions())),
          "the rest pose is what it was before other poses");
  evaluator.set_detail(Detail::kLinearBlend);
  give(evaluator, random_frame(*character, random));
  evaluator.evaluate();
}

bool has_software_device() {
  const auto all = runtime::list_devices();
  const bool has = all && std::any_of(all->begin(), all->end(), [](const runtime::DeviceDescription& description) {
                     return description.name.find("llvmpipe") != std::string::npos && description.missing.empty();
                   });
  if (!has) std::fprintf(stderr, "no software device: nothing is moved on one\n");
  return has;
}

// Returns the device, for one crowd; null if there is no device. It keeps the pipelines of all crowds, so it is
// replaced now and then.
const runtime::Device* software_device() {
  constexpr int kMaxCrowds = 64;
  static const bool exists = has_software_device();
  static std::optional<Result<runtime::Device>> device;
  static int crowds = 0;
  if (!exists) return nullptr;
  if (crowds++ % kMaxCrowds == 0) {
    runtime::DeviceOptions options;
    options.select = "llvmpipe";
    device.reset();
    device.emplace(runtime::Device::create(options));
  }
  return *device ? &**device : nullptr;
}

}  // namespace

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

std::uint64_t choice_of(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

void move_on_cpu(const Character& character, std::uint64_t seed) {
  Random random(static_cast<Random::result_type>(seed));
  Evaluator::Options options;
  if (random() % 8 == 0) options.same_everywhere = true;
  evaluate_frames(character, options, random);
  if (!character->levels.empty()) evaluate_frames(character.at_level(character->coarsest_level()), options, random);
}

void move_on_device(const Character& character, std::uint64_t seed) {
  const runtime::Device* device = software_device();
  if (device == nullptr) return;
  Random random(static_cast<Random::result_type>(seed));
  const auto gpu = runtime::upload(*device, character);
  if (!gpu) return;  // it does not fit
  runtime::CrowdOptions options;
  options.outputs.bounds = true;
  auto crowd = runtime::Crowd::create(*device, *gpu, options);
  if (!crowd) return;
  runtime::on_misuse([](const char*) {});  // random values may be beyond what a crowd takes
  const auto run = [&] { require(runtime::run(*device, *crowd).has_value(), "the device runs a frame"); };
  run();
  std::vector<Frame> frames = clip_frames(*character);
  frames.push_back(random_frame(*character, random));
  for (const Frame& frame : frames) {
    crowd->pose(0, frame.joints);
    crowd->inputs(0, frame.inputs);
    crowd->advance(0.02f);
    run();
  }
  const std::uint32_t level = character->coarsest_level();
  const shared::ListEntry coarsest{0, shared::entry_levels(level, level) | shared::kEntryLinearBlend};
  require(runtime::run(*device, *crowd, std::span(&coarsest, 1)).has_value(), "the device shows the coarsest level");
  require(runtime::read_vertices(*device, *crowd, 0).has_value(), "vertices can be read");
}

}  // namespace pelt::fuzz
