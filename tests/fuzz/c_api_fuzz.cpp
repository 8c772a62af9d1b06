// SPDX-License-Identifier: MIT
// The C API as a sequence of calls, of handles that live or are null, with sizes, indices and numbers at random: each
// call is done or refused with a sentence, and writes no more than the size that it was told.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <pelt/gltf_export.h>
#include <pelt/pelt.h>
#include <pelt/rig.h>

#include "tests/fuzz/frames.h"
#include "tests/fuzz/seed_characters.h"
#include "tests/fuzz/small_model.h"

namespace {

using pelt::fuzz::require;

template <auto destroy>
struct Destroy {
  void operator()(auto* handle) const { destroy(handle); }
};
template <class T, auto destroy>
using Handles = std::vector<std::unique_ptr<T, Destroy<destroy>>>;

// Memory of exactly so many bytes, so that one byte too many is found.
template <class T>
class Exact {
 public:
  explicit Exact(std::size_t count)
      : values_(static_cast<T*>(std::calloc(std::max<std::size_t>(count, 1), sizeof(T)))) {}
  T* get() const { return values_.get(); }

 private:
  struct Free {
    void operator()(T* values) const { std::free(values); }
  };
  std::unique_ptr<T, Free> values_;
};

class Calls {
 public:
  Calls(const std::uint8_t* data, std::size_t size) : in_(data, size) {}

  void run() {
    constexpr int kMostCalls = 60;
    on_device_ = in_.ConsumeIntegralInRange(0, 7) == 0 && device() != nullptr;
    load();
    for (int call = 0; call < kMostCalls && in_.remaining_bytes() > 0; ++call) {
      if (on_device_ && in_.ConsumeBool()) {
        call_device();
      } else if (in_.ConsumeBool()) {
        call_evaluator();
      } else {
        call_character();
      }
    }
  }

 private:
  // What the caller gives.

  std::uint32_t index(std::uint32_t count) {
    return in_.ConsumeIntegralInRange(0, 15) == 0 ? in_.ConsumeIntegral<std::uint32_t>()
                                                  : in_.ConsumeIntegralInRange<std::uint32_t>(0, count);
  }
  float number() {
    switch (in_.ConsumeIntegralInRange(0, 3)) {
      case 0: {
        const auto bits = in_.ConsumeIntegral<std::uint32_t>();
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
      }
      default:
        return in_.ConsumeFloatingPointInRange<float>(-3, 3);
    }
  }
  // The count that is right, or another one; arrays have as many.
  std::uint32_t count_of(std::uint32_t right) {
    return in_.ConsumeIntegralInRange(0, 7) == 0 ? in_.ConsumeIntegralInRange<std::uint32_t>(0, 300) : right;
  }
  template <class T>
  T* or_null(T* pointer) {
    return in_.ConsumeIntegralInRange(0, 31) == 0 ? nullptr : pointer;
  }
  Exact<float> numbers(std::size_t count) {
    Exact<float> made(count);
    const float base = number();
    for (std::size_t i = 0; i < count; ++i) made.get()[i] = base + 0.1f * static_cast<float>(i % 7);
    if (count > 0 && in_.ConsumeBool()) made.get()[index(static_cast<std::uint32_t>(count - 1)) % count] = number();
    return made;
  }
  template <class T, auto destroy>
  T* any(const Handles<T, destroy>& handles) {
    if (handles.empty() || in_.ConsumeIntegralInRange(0, 31) == 0) return nullptr;
    return handles[in_.ConsumeIntegralInRange<std::size_t>(0, handles.size() - 1)].get();
  }
  const char* name() {
    text_ = in_.ConsumeIntegralInRange(0, 3) == 0
                ? in_.ConsumeRandomLengthString(12)
                : std::string(in_.PickValueInArray({"joint1", "clip", "cage", "tube", "tube/target1", "none"}));
    return or_null(text_.c_str());
  }

  // Calls with a struct of the size that an older or newer caller may have.
  template <class T, class Call>
  pelt_result with_struct(T filled, const Call& call) {
    std::size_t size = sizeof(T);
    // No caller has a size that ends within a pointer.
    if (in_.ConsumeIntegralInRange(0, 3) == 0) size = 8 * in_.ConsumeIntegralInRange<std::size_t>(0, sizeof(T) / 8 + 1);
    const Exact<std::byte> memory(std::max<std::size_t>(size, sizeof(std::uint32_t)));
    filled.struct_size = static_cast<std::uint32_t>(size);
    std::memcpy(memory.get(), &filled, std::min(std::max(size, sizeof(std::uint32_t)), sizeof(T)));
    return done(call(or_null(reinterpret_cast<T*>(memory.get()))));
  }

  // Every call is done, or says why not.
  static pelt_result done(pelt_result result) {
    require(result >= PELT_OK && result != PELT_ERROR_INTERNAL && result <= PELT_ERROR_STOPPED,
            "a result is one of those listed");
    if (result != PELT_OK) require(std::strncmp(pelt_last_error(), "pelt_", 5) == 0, "an error names its function");
    return result;
  }
  // Returns true if the call made something, which it does only if it succeeds.
  template <class T>
  static bool made(pelt_result result, const T* handle) {
    require((done(result) == PELT_OK) == (handle != nullptr), "what succeeds gives a handle, and nothing else does");
    return handle != nullptr;
  }
  template <class Kept, class T>
  static void keep(Kept& handles, pelt_result result, T* handle) {
    constexpr std::size_t kMost = 4;
    if (!made(result, handle)) return;
    if (handles.size() >= kMost) handles.erase(handles.begin());
    handles.emplace_back(handle);
  }

  // Characters and models.

  void load() {
    static const std::vector<std::vector<std::byte>> files = pelt::fuzz::seed_characters();
    std::vector<std::byte> file = files[in_.ConsumeIntegralInRange<std::size_t>(0, files.size() - 1)];
    if (in_.ConsumeIntegralInRange(0, 7) == 0) file.resize(in_.ConsumeIntegralInRange<std::size_t>(0, file.size()));
    pelt_character* character = nullptr;
    const pelt_result result =
        pelt_character_load_memory(or_null(file.data()), file.size(), or_null("file"), &character);
    keep(characters_, result, character);
  }

  pelt_character_info info_of(const pelt_character* character) {
    pelt_character_info info{};
    info.struct_size = sizeof info;
    if (character != nullptr) require(pelt_character_get_info(character, &info) == PELT_OK, "a character has an info");
    return info;
  }

  void call_character() {
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
        const auto names = pelt::deformer_names();
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

  void pose_character(const pelt_character* character, const pelt_character_info& info) {
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

  // Functions of a const handle run at the same time, and give the same.
  void pose_by_two_threads(const pelt_character* character, const pelt_character_info& info) {
    if (character == nullptr || info.clip_count == 0) return;
    const float seconds = number();
    std::vector<float> results[2];
    const auto pose = [&](std::vector<float>& to) {
      std::vector<float> inputs(info.input_count);
      to.resize(16 * std::size_t{info.joint_count});
      require(pelt_character_sample_clip(character, 0, seconds, to.data(), info.joint_count) == PELT_OK, "it samples");
      require(pelt_character_sample_inputs(character, 0, seconds, inputs.data(), info.input_count) == PELT_OK,
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

  static pelt_model* model() {
    static const std::unique_ptr<pelt_model, Destroy<pelt_model_destroy>> small([] {
      const pelt::fuzz::InputFile file("small.glb");
      file.write(pelt::format_glb(pelt::fuzz::make_small_model()).value());
      pelt_model* made = nullptr;
      require(pelt_model_import(file.path().c_str(), &made) == PELT_OK, "the small model is imported");
      return made;
    }());
    return small.get();
  }

  void bind() {
    const Exact<float> shares = numbers(3);
    pelt_bind_options options{};
    options.threads = 1;
    options.keep_vertex_order = in_.ConsumeIntegralInRange<std::uint32_t>(0, 2);
    options.linear_fit = in_.ConsumeIntegralInRange<std::uint32_t>(0, 2);
    options.level_count = in_.ConsumeIntegralInRange<std::uint32_t>(0, 3);
    options.level_shares = in_.ConsumeBool() ? shares.get() : nullptr;
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

  // The CPU's evaluator.

  struct Evaluator {
    std::unique_ptr<pelt_evaluator, Destroy<pelt_evaluator_destroy>> handle;
    pelt_character_info info{};
  };

  void make_evaluator() {
    const pelt_character* const character = any(characters_);
    pelt_evaluator_options options{};
    options.normal_mode = in_.ConsumeIntegralInRange<std::uint32_t>(0, 2);
    options.no_normals = in_.ConsumeIntegralInRange<std::uint32_t>(0, 1);
    options.no_tangents = in_.ConsumeIntegralInRange<std::uint32_t>(0, 1);
    options.no_morphs = in_.ConsumeIntegralInRange<std::uint32_t>(0, 1);
    options.same_everywhere = in_.ConsumeIntegralInRange<std::uint32_t>(0, 1);
    if (in_.ConsumeBool()) {
      options.for_ranges = [](void*, std::size_t count, std::size_t, const void* body, pelt_range_call call) {
        if (count == 0) return;
        std::thread other([&] { call(body, count / 2, count); });
        call(body, 0, count / 2);
        other.join();
      };
    }
    pelt_evaluator* evaluator = nullptr;
    pelt_result result = PELT_OK;
    with_struct(options, [&](auto* given) { return result = pelt_evaluator_create(character, given, &evaluator); });
    if (!made(result, evaluator)) return;
    evaluator_.handle.reset(evaluator);
    evaluator_.info = info_of(character);
  }

  void call_evaluator() {
    if (evaluator_.handle == nullptr) return make_evaluator();
    pelt_evaluator* const evaluator = or_null(evaluator_.handle.get());
    const pelt_character_info& info = evaluator_.info;
    switch (in_.ConsumeIntegralInRange(0, 11)) {
      case 0:
        return make_evaluator();
      case 1: {
        constexpr std::uint32_t kFloats[] = {16, 12, 10};
        const std::uint32_t format = index(2);
        const std::uint32_t count = count_of(info.joint_count);
        const Exact<float> joints = numbers(std::size_t{format < 3 ? kFloats[format] : 0} * count);
        done(pelt_evaluator_pose(evaluator, format, or_null(joints.get()), count));
        return;
      }
      case 2: {
        const std::uint32_t count = count_of(info.input_count);
        const Exact<float> inputs = numbers(count);
        done(pelt_evaluator_inputs(evaluator, or_null(inputs.get()), count));
        return;
      }
      case 3: {
        const std::uint32_t count = in_.ConsumeBool() ? in_.ConsumeIntegralInRange<std::uint32_t>(0, 300) : 63;
        const Exact<float> positions = numbers(3 * std::size_t{count});
        done(pelt_evaluator_stream(evaluator, index(info.stream_count), or_null(positions.get()), count));
        return;
      }
      case 4:
        done(pelt_evaluator_control(evaluator, index(info.control_count), number()));
        return;
      case 5:
        done(pelt_evaluator_detail(evaluator, index(2)));
        return;
      case 6:
        done(pelt_evaluator_advance(evaluator, number()));
        return;
      case 7:
        done(pelt_evaluator_teleport(evaluator));
        return;
      case 8:
        with_struct(pelt_evaluated{}, [&](auto* out) { return pelt_evaluator_get_evaluated(evaluator, out); });
        return;
      case 9:
        return get_vertices(evaluator, info);
      default:
        done(pelt_evaluator_evaluate(evaluator));
    }
  }

  void get_vertices(const pelt_evaluator* evaluator, const pelt_character_info& info) {
    const std::uint32_t mesh = in_.ConsumeBool() ? PELT_NONE : index(info.mesh_count);
    const std::uint32_t count = count_of(info.vertex_count);
    // An array has space for tight vertices at least: a struct that ends before a stride has a stride of 0.
    const auto array = [&](std::size_t floats) {
      const std::uint32_t stride = in_.ConsumeBool() ? 0 : in_.ConsumeIntegralInRange<std::uint32_t>(0, 64);
      const std::size_t step = std::max<std::size_t>(floats * sizeof(float), stride);
      const std::size_t bytes = count == 0 ? 0 : (count - 1) * step + floats * sizeof(float);
      arrays_.push_back(Exact<std::byte>(bytes));
      return pelt_vertex_array{or_null(reinterpret_cast<float*>(arrays_.back().get())), stride, 0};
    };
    pelt_vertex_arrays arrays{};
    arrays.vertex_count = count;
    arrays.positions = array(3);
    arrays.normals = array(3);
    arrays.tangents = array(4);
    const std::uint32_t order = index(1);
    with_struct(arrays, [&](auto* given) { return pelt_evaluator_get_vertices(evaluator, mesh, order, given); });
    arrays_.clear();
  }

  // The device.

  static pelt_device* device() {
    static const std::unique_ptr<pelt_device, Destroy<pelt_device_destroy>> software([] {
      pelt_device_options options{};
      options.struct_size = sizeof options;
      options.select = "llvmpipe";
      pelt_device* made = nullptr;
      static_cast<void>(pelt_device_create(&options, &made));
      return made;
    }());
    return software.get();
  }

  void make_crowd() {
    crowd_.reset();
    const pelt_character* given[3];
    const std::uint32_t count = in_.ConsumeIntegralInRange<std::uint32_t>(0, 3);
    for (std::uint32_t i = 0; i < count; ++i) given[i] = any(characters_);
    pelt_upload_options upload{};
    upload.normal_rings = in_.ConsumeIntegralInRange<std::uint32_t>(0, 2);
    upload.capacity = in_.ConsumeIntegralInRange<std::uint32_t>(0, 1u << 20);
    pelt_gpu_characters* gpu = nullptr;
    pelt_result result = PELT_OK;
    with_struct(upload, [&](auto* options) {
      return result = pelt_upload_and_wait(or_null(device()), or_null(given), count, options, &gpu);
    });
    if (!made(result, gpu)) return;
    gpu_.reset(gpu);
    create_crowd(count);
  }

  pelt_vertex_output output() { return {index(4), in_.ConsumeBool() ? 0 : index(32), {}}; }

  void create_crowd(std::uint32_t characters) {
    std::uint32_t instances[4] = {};
    for (std::uint32_t& each : instances) each = in_.ConsumeIntegralInRange<std::uint32_t>(0, 3);
    pelt_crowd_capacity capacity{};
    capacity.struct_size = sizeof capacity;
    for (int i = 0; i < 2; ++i) {
      static_cast<void>(done(pelt_add_capacity(any(characters_), instances[i], nullptr, or_null(&capacity))));
    }
    pelt_crowd_options options{};
    options.character_count = in_.ConsumeBool() ? characters : in_.ConsumeIntegralInRange<std::uint32_t>(0, 4);
    options.instances = in_.ConsumeBool() ? instances : nullptr;
    options.frames_in_flight = in_.ConsumeIntegralInRange<std::uint32_t>(0, 4);
    options.reduced_influences = in_.ConsumeIntegralInRange<std::uint32_t>(0, 4);
    if (in_.ConsumeBool()) {
      options.positions = output();
      options.normals = output();
      options.tangents = output();
      options.previous_positions = output();
    }
    options.bounds = in_.ConsumeIntegralInRange<std::uint32_t>(0, 2);
    options.bounds_stride = in_.ConsumeBool() ? 0 : index(64);
    options.control_meshes = in_.ConsumeIntegralInRange<std::uint32_t>(0, 1);
    options.normal_mode = in_.ConsumeIntegralInRange<std::uint32_t>(0, 2);
    options.output_slots = in_.ConsumeIntegralInRange<std::uint32_t>(0, 4);
    options.joint_format = in_.ConsumeIntegralInRange<std::uint32_t>(0, 3);
    options.capacity = in_.ConsumeBool() ? &capacity : nullptr;
    pelt_crowd* crowd = nullptr;
    pelt_result result = PELT_OK;
    with_struct(options, [&](auto* given) { return result = pelt_crowd_create(device(), gpu_.get(), given, &crowd); });
    if (made(result, crowd)) crowd_.reset(crowd);
  }

  pelt_result run_frame() {
    struct Frame {
      pelt_crowd* crowd;
      bool parts;
    } frame{crowd_.get(), in_.ConsumeBool()};
    return pelt_submit_and_wait(
        device(), "frame",
        [](void* user, VkCommandBuffer commands) {
          const Frame& given = *static_cast<Frame*>(user);
          if (!given.parts) {
            done(pelt_crowd_record(given.crowd, commands));
          } else if (done(pelt_crowd_record_pose(given.crowd, commands)) == PELT_OK) {
            done(pelt_crowd_record_blend(given.crowd, commands));
          }
        },
        &frame);
  }

  void call_device() {
    if (crowd_ == nullptr) return make_crowd();
    constexpr std::uint32_t kInstances = 6;
    const std::uint32_t instance = index(kInstances);
    switch (in_.ConsumeIntegralInRange(0, 5)) {
      case 0:
        return change_crowd(crowd_.get(), instance);
      case 1:
      case 2:
        return change_instance(crowd_.get(), instance);
      case 3:
      case 4:
        return ask_crowd(crowd_.get(), instance);
      default:
        done(run_frame());
    }
  }

  void change_crowd(pelt_crowd* crowd, std::uint32_t instance) {
    std::uint32_t found = 0;
    switch (in_.ConsumeIntegralInRange(0, 6)) {
      case 0:
        return make_crowd();
      case 1:
        done(pelt_crowd_acquire(crowd, index(3), in_.ConsumeIntegralInRange<std::uint32_t>(0, 2), or_null(&found)));
        return;
      case 2:
        done(pelt_crowd_release(crowd, instance));
        return;
      case 3:
        done(pelt_crowd_give_outputs(crowd, instance));
        return;
      case 4:
        done(pelt_crowd_take_outputs(crowd, instance));
        return;
      case 5: {
        if (done(pelt_gpu_characters_add(gpu_.get(), any(characters_), or_null(&found))) != PELT_OK) return;
        const auto record = [](void* gpu, VkCommandBuffer commands) {
          done(pelt_gpu_characters_record_upload(static_cast<pelt_gpu_characters*>(gpu), commands));
        };
        done(pelt_submit_and_wait(device(), "upload", record, gpu_.get()));
        done(pelt_gpu_characters_finish_upload(gpu_.get()));
        done(pelt_crowd_add(crowd, found));
        return;
      }
      default:
        done(pelt_crowd_remove(crowd, index(3)));
    }
  }

  void change_instance(pelt_crowd* crowd, std::uint32_t instance) {
    switch (in_.ConsumeIntegralInRange(0, 10)) {
      case 0: {
        constexpr std::uint32_t kFloats[] = {16, 12, 10};
        const std::uint32_t format = index(2);
        const std::uint32_t count = count_of(info_of(any(characters_)).joint_count);
        const Exact<float> joints = numbers(std::size_t{format < 3 ? kFloats[format] : 0} * count);
        done(pelt_crowd_pose_joints(crowd, instance, format, or_null(joints.get()), count));
        return;
      }
      case 1: {
        float* joints = nullptr;
        std::uint32_t count = 0;
        if (done(pelt_crowd_map_joints(crowd, instance, &joints, &count)) != PELT_OK) return;
        std::fill_n(joints, count, number());
        return;
      }
      case 2: {
        const std::uint32_t count = count_of(info_of(any(characters_)).input_count);
        const Exact<float> inputs = numbers(count);
        done(pelt_crowd_inputs(crowd, instance, or_null(inputs.get()), count));
        return;
      }
      case 3: {
        const std::uint32_t count = in_.ConsumeBool() ? in_.ConsumeIntegralInRange<std::uint32_t>(0, 300) : 63;
        const Exact<float> positions = numbers(3 * std::size_t{count});
        done(pelt_crowd_stream(crowd, instance, index(1), or_null(positions.get()), count));
        return;
      }
      case 4:
        done(pelt_crowd_control(crowd, instance, index(4), number()));
        return;
      case 5:
        done(pelt_crowd_show(crowd, instance, index(1)));
        return;
      case 6:
        done(pelt_crowd_update_every(crowd, instance, index(3)));
        return;
      case 7:
        done(pelt_crowd_teleport(crowd, instance));
        return;
      case 8:
        done(pelt_crowd_advance(crowd, number()));
        return;
      case 9:
        done(pelt_crowd_detail(crowd, instance, index(2), index(3)));
        return;
      default:
        done(pelt_crowd_level(crowd, instance, index(3), index(3)));
    }
  }

  void ask_crowd(pelt_crowd* crowd, std::uint32_t instance) {
    std::uint32_t found[2] = {};
    float given[6] = {};
    switch (in_.ConsumeIntegralInRange(0, 9)) {
      case 0:
        done(pelt_crowd_get_shown_levels(crowd, instance, or_null(&found[0]), or_null(&found[1]), or_null(given)));
        return;
      case 1:
        with_struct(pelt_crowd_info{}, [&](auto* out) { return pelt_crowd_get_info(crowd, out); });
        return;
      case 2:
        with_struct(pelt_instance_info{}, [&](auto* out) { return pelt_crowd_get_instance(crowd, instance, out); });
        return;
      case 3:
        with_struct(pelt_crowd_outputs{}, [&](auto* out) { return pelt_crowd_get_outputs(crowd, out); });
        with_struct(pelt_crowd_outputs{}, [&](auto* out) { return pelt_crowd_get_slot_outputs(crowd, index(3), out); });
        return;
      case 4:
        done(pelt_crowd_get_previous_slot(crowd, instance, or_null(found)));
        done(pelt_crowd_get_first_instance(crowd, index(3), or_null(found)));
        return;
      case 5:
        done(pelt_crowd_get_mesh_vertex(crowd, index(3), index(3), or_null(found)));
        done(pelt_crowd_get_level_vertex(crowd, index(3), index(2), or_null(found)));
        return;
      case 6:
        with_struct(pelt_crowd_rooms{}, [&](auto* out) { return pelt_crowd_get_rooms(crowd, out); });
        return;
      case 7:
        return read_vertices(instance);
      case 8:
        done(pelt_crowd_read_bounds(crowd, instance, or_null(given), or_null(given + 3)));
        return;
      default: {
        pelt_buffer_use uses[PELT_MAX_BUFFER_USES];
        done(pelt_crowd_get_uses(crowd, index(1), or_null(uses), or_null(found)));
        return;
      }
    }
  }

  void read_vertices(std::uint32_t instance) {
    pelt_instance_info info{};
    info.struct_size = sizeof info;
    if (done(pelt_crowd_get_instance(crowd_.get(), instance, &info)) != PELT_OK) return;
    const std::uint32_t count = count_of(info.vertex_count);
    const Exact<float> arrays[4] = {numbers(3 * count), numbers(3 * count), numbers(4 * count), numbers(3 * count)};
    pelt_vertices vertices{};
    vertices.vertex_count = count;
    vertices.positions = or_null(arrays[0].get());
    vertices.normals = or_null(arrays[1].get());
    vertices.tangents = in_.ConsumeBool() ? arrays[2].get() : nullptr;
    vertices.previous_positions = in_.ConsumeBool() ? arrays[3].get() : nullptr;
    with_struct(vertices, [&](auto* to) { return pelt_crowd_read_vertices(crowd_.get(), instance, to); });
  }

  FuzzedDataProvider in_;
  std::string text_;
  std::vector<Exact<std::byte>> arrays_;
  bool on_device_ = false;
  Handles<pelt_character, pelt_character_destroy> characters_;
  Handles<pelt_rig, pelt_rig_destroy> rigs_;
  Evaluator evaluator_;
  std::unique_ptr<pelt_gpu_characters, Destroy<pelt_gpu_characters_destroy>> gpu_;
  std::unique_ptr<pelt_crowd, Destroy<pelt_crowd_destroy>> crowd_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Calls(data, size).run();
  return 0;
}
