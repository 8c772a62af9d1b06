// SPDX-License-Identifier: MIT
#include "tests/fuzz/c_api_characters.h"

#include <cmath>
#include <functional>
#include <thread>

#include <pelt/gltf_export.h>
#include <pelt/rig.h>

#include "tests/fuzz/seed_characters.h"
#include "tests/fuzz/small_model.h"

namespace pelt::fuzz {

const char* CharacterCalls::name() {
  text_ = in_.ConsumeIntegralInRange(0, 3) == 0
              ? in_.ConsumeRandomLengthString(12)
              : std::string(in_.PickValueInArray({"joint1", "clip", "cage", "tube", "tube/target1", "none"}));
  return or_null(text_.c_str());
}

void CharacterCalls::load() {
  static const std::vector<std::vector<std::byte>> files = seed_characters();
  std::vector<std::byte> file = files[in_.ConsumeIntegralInRange<std::size_t>(0, files.size() - 1)];
  if (in_.ConsumeIntegralInRange(0, 7) == 0) file.resize(in_.ConsumeIntegralInRange<std::size_t>(0, file.size()));
  pelt_character* character = nullptr;
  const pelt_result result = pelt_character_load_memory(or_null(file.data()), file.size(), or_null("file"), &character);
  keep(characters_, result, character);
}

void CharacterCalls::call() {
  pelt_character* const character = any(characters_);
  const pelt_character_info info = info_of(character);
  std::uint32_t found = 0;
  switch (in_.ConsumeIntegralInRange(0, 24)) {
    case 0:
      return load();
    case 1:
      if (!characters_.empty()) characters_.erase(characters_.begin());
      return;
    case 2:
      if (done(pelt_character_retain(character)) == PELT_OK) pelt_character_destroy(character);
      return;
    case 3: {
      pelt_character* level = nullptr;
      const pelt_result result = pelt_character_at_level(character, index(info.coarsest_level), &level);
      return keep(characters_, result, level);
    }
    case 4:
      with_struct(pelt_character_info{}, [&](auto* out) { return pelt_character_get_info(character, out); });
      return;
    case 5:
      with_struct(pelt_joint_info{},
                  [&](auto* out) { return pelt_character_get_joint(character, index(info.joint_count), out); });
      return;
    case 6:
      with_struct(pelt_mesh_info{},
                  [&](auto* out) { return pelt_character_get_mesh(character, index(info.mesh_count), out); });
      return;
    case 7:
      with_struct(pelt_clip_info{},
                  [&](auto* out) { return pelt_character_get_clip(character, index(info.clip_count), out); });
      return;
    case 8:
      with_struct(pelt_stream_info{},
                  [&](auto* out) { return pelt_character_get_stream(character, index(info.stream_count), out); });
      return;
    case 9:
      with_struct(pelt_control_info{},
                  [&](auto* out) { return pelt_character_get_control(character, index(info.control_count), out); });
      return;
    case 10:
      done(pelt_character_find_joint(character, name(), or_null(&found)));
      return;
    case 11:
      done(pelt_character_find_clip(character, name(), or_null(&found)));
      return;
    case 12:
      done(pelt_character_find_stream(character, name(), or_null(&found)));
      return;
    case 13:
      done(pelt_character_find_control(character, name(), or_null(&found)));
      return;
    case 14:
    case 15:
    case 16:
      return pose_character(character, info);
    case 17: {
      std::size_t size = 0;
      const auto write = [](void* to, const void*, std::size_t bytes) { *static_cast<std::size_t*>(to) = bytes; };
      const pelt_result result = done(pelt_character_save_memory(character, &size, or_null(+write)));
      require((result == PELT_OK) == (size > 0), "what is written has bytes");
      return;
    }
    case 18:
      return pose_by_two_threads(character, info);
    case 19: {
      pelt_rig* rig = nullptr;
      const auto names = deformer_names();
      const std::size_t which = in_.ConsumeIntegralInRange<std::size_t>(0, names.size());
      text_ = which == names.size() ? "none" : std::string(names[which]);
      return keep(rigs_, pelt_rig_from_deformer(or_null(text_.c_str()), &rig), rig);
    }
    case 20:
      return bind();
    default:
      return pose_character(character, info);
  }
}

void CharacterCalls::pose_character(const pelt_character* character, const pelt_character_info& info) {
  const std::uint32_t joint_count = count_of(info.joint_count);
  const std::uint32_t clip = index(info.clip_count);
  const Exact<float> joints = numbers(16 * std::size_t{joint_count});
  switch (in_.ConsumeIntegralInRange(0, 7)) {
    case 0:
      done(pelt_character_rest_pose(character, or_null(joints.get()), joint_count));
      return;
    case 1:
      done(pelt_character_sample_clip(character, clip, number(), or_null(joints.get()), joint_count));
      return;
    case 2: {
      const Exact<float> transforms = numbers(10 * std::size_t{joint_count});
      done(pelt_character_rest_transforms(character, or_null(transforms.get()), joint_count));
      return;
    }
    case 3: {
      const Exact<float> transforms = numbers(10 * std::size_t{joint_count});
      done(pelt_character_sample_transforms(character, clip, number(), or_null(transforms.get()), joint_count));
      done(pelt_character_place_joints(character, or_null(transforms.get()), or_null(joints.get()), joint_count));
      return;
    }
    case 4:
      done(pelt_character_turn_helpers(character, or_null(joints.get()), joint_count));
      return;
    default: {
      const std::uint32_t input_count = count_of(info.input_count);
      const Exact<float> inputs = numbers(input_count);
      if (in_.ConsumeBool()) {
        done(pelt_character_rest_inputs(character, or_null(inputs.get()), input_count));
      } else {
        done(pelt_character_sample_inputs(character, clip, number(), or_null(inputs.get()), input_count));
      }
    }
  }
}

void CharacterCalls::pose_by_two_threads(const pelt_character* character, const pelt_character_info& info) {
  if (character == nullptr || info.clip_count == 0) return;
  const float seconds = number();
  std::vector<float> results[2];
  const auto pose = [&](std::vector<float>& to) {
    std::vector<float> inputs(info.input_count);
    to.resize(16 * std::size_t{info.joint_count});
    // Seconds that are no finite number are refused.
    const auto holds = [&](pelt_result result) { return (result == PELT_OK) == std::isfinite(seconds); };
    require(holds(pelt_character_sample_clip(character, 0, seconds, to.data(), info.joint_count)), "it samples");
    require(holds(pelt_character_sample_inputs(character, 0, seconds, inputs.data(), info.input_count)),
            "it samples inputs");
    require(pelt_character_sample_clip(character, info.clip_count, 0, to.data(), 0) != PELT_OK, "it refuses");
    require(std::strstr(pelt_last_error(), "pelt_character_sample_clip") != nullptr, "errors are of the thread");
    to.insert(to.end(), inputs.begin(), inputs.end());
  };
  std::thread other(pose, std::ref(results[0]));
  pose(results[1]);
  other.join();
  require(std::memcmp(results[0].data(), results[1].data(), results[0].size() * sizeof(float)) == 0,
          "threads compute the same");
}

pelt_model* CharacterCalls::model() {
  static const Handle<pelt_model, pelt_model_destroy> small([] {
    const InputFile file("small.glb");
    file.write(format_glb(make_small_model()).value());
    pelt_model* made = nullptr;
    require(pelt_model_import(file.path().c_str(), &made) == PELT_OK, "the small model is imported");
    return made;
  }());
  return small.get();
}

void CharacterCalls::bind() {
  constexpr int kMaxBinds = 8;
  if (++binds_ > kMaxBinds) return;
  pelt_bind_options options{};
  options.threads = 1;
  options.keep_vertex_order = in_.ConsumeIntegralInRange<std::uint32_t>(0, 2);
  std::uint32_t stop = in_.ConsumeIntegralInRange(0, 15) == 0 ? 1 : 0;
  if (in_.ConsumeBool()) options.stop = &stop;
  options.user = &stop;
  if (in_.ConsumeBool()) options.progress = [](void*, double, const char*) {};
  if (in_.ConsumeIntegralInRange(0, 15) == 0)
    options.progress = [](void* user, double, const char*) { *static_cast<std::uint32_t*>(user) = 1; };
  pelt_character* character = nullptr;
  pelt_result result = PELT_OK;
  pelt_rig* const rig = any(rigs_);
  with_struct(options, [&](auto* given) { return result = pelt_bind(or_null(model()), rig, given, &character); });
  keep(characters_, result, character);
}

}  // namespace pelt::fuzz
