// SPDX-License-Identifier: MIT
// A game loads and makes things, with each allocation refused in turn: every refusal is an error, nothing leaks, and
// the next call succeeds.
#include "tests/runtime/refused_memory.h"

#ifdef PELT_GAME_LIBRARY
#include <dlfcn.h>
#endif

#include <cstdlib>
#include <utility>

#include <pelt/evaluate.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/upload.h>

#include "runtime/instance.h"
#include "tests/runtime/c_crowds.h"
#include "tests/runtime/counting_memory.h"
#include "tests/support/vulkan_mask.h"

namespace pelt::runtime {
namespace {

using test::refusable;
using test::refuse_in;

// Makes the thread's allocations refusable, or not, during its lifetime.
class Refusable {
 public:
  explicit Refusable(bool now) : before_(std::exchange(refusable, now)) {}
  Refusable(const Refusable&) = delete;
  Refusable& operator=(const Refusable&) = delete;
  ~Refusable() { refusable = before_; }

 private:
  bool before_;
};

template <class Function, class Tag>
struct Unrefused;
template <class Returned, class... Values, class Tag>
struct Unrefused<Returned(VKAPI_PTR*)(Values...), Tag> {
  static Returned VKAPI_CALL call(Values... values) {
    const Refusable none(false);
    return real(values...);
  }
  static inline Returned(VKAPI_PTR* real)(Values...) = nullptr;
};

// Vulkan as it is, but for memory: drivers and layers may end the program if theirs is refused.
struct UnrefusedVulkan {
  static PFN_vkVoidFunction masked(std::string_view name, PFN_vkVoidFunction found) {
    if (found == nullptr) return found;
#define PELT_MASK(function)                                         \
  if (name == #function || name == #function "KHR") {               \
    using Masked = Unrefused<PFN_##function, struct function##Tag>; \
    Masked::real = reinterpret_cast<PFN_##function>(found);         \
    return test::untyped(Masked::call);                             \
  }
    PELT_INSTANCE_FUNCTIONS(PELT_MASK)
    PELT_DEVICE_FUNCTIONS(PELT_MASK)
#undef PELT_MASK
    return found;
  }
  static PFN_vkVoidFunction VKAPI_CALL entry_point(VkInstance instance, const char* name) {
    const Refusable none(false);
    return test::MaskedVulkan<UnrefusedVulkan>::entry_point(instance, name);
  }
};

// Makes something. If memory is refused, expects that error, and makes it again.
template <class Make>
auto made(const Make& make) {
  const auto attempt = [&] {
    const Refusable all(true);
    return make();
  };
  auto result = attempt();
  if (!result) {
    EXPECT_EQ(result.error().code, ErrorCode::kOutOfMemory) << result.error().message;
    result = attempt();
  }
  return test::must(std::move(result));
}

// Calls `make` with its first allocation refused, then with another, `step` further on, until all were refused. Returns
// their number.
template <class Make>
std::ptrdiff_t refuse_each(const Make& make, std::ptrdiff_t step = 1) {
  refuse_in = 0;
  make();  // what Pelt keeps for each thread exists from now on
  for (std::ptrdiff_t n = 1;; n += step) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    const std::size_t held = test::held_allocations();
    refuse_in = n;
    make();
    EXPECT_LE(test::held_allocations(), held);  // fewer: a thread's own scratch memory moved
    if (refuse_in.exchange(0) > 0 || testing::Test::HasFailure()) return n - 1;
  }
}

class RefusedMemory : public CCrowds {
 protected:
  RefusedMemory() {
    options_.instances = {1};
    options_.capacity = capacity_of(characters_[0], 2, options_.outputs);
    options_.capacity += capacity_of(characters_[1], 2, options_.outputs);
  }

  // Makes characters and a crowd, and lets characters and instances come.
  void make_all(const Device& device) const {
    const UploadOptions options{.capacity = 1 << 20};
    GpuCharacters gpu = made([&] { return GpuCharacters::create(device, std::span(characters_).first(1), options); });
    EXPECT_EQ(made([&] { return gpu.add(device, characters_[1]); }), 1u);
    const VkDeviceSize left = gpu.free_bytes();
    gpu.remove(1);
    EXPECT_EQ(made([&] { return gpu.add(device, characters_[1]); }), 1u);
    EXPECT_EQ(gpu.free_bytes(), left);
    Crowd crowd = made([&] { return Crowd::create(device, gpu, options_); });
    made([&] { return crowd.prepare(device, std::span(characters_).subspan(1)); });
    made([&] { return crowd.add(device, 1); });
    EXPECT_EQ(made([&] { return crowd.acquire(1); }), 1u);
    made([&] { return crowd.set_outputs(1, false); });
    made([&] { return crowd.set_outputs(1, true); });
    EXPECT_EQ(crowd.rooms().instances.free, 2u);
    EXPECT_EQ(crowd.instance(1)->character, 1u);
  }

  CrowdOptions options_;
};

// Without the validation layer, which takes most of the time.
TEST_F(RefusedMemory, OfTheHostIsAnError) {
  DeviceOptions options;
  options.get_instance_proc_addr = UnrefusedVulkan::entry_point;
  const Device device = test::must(Device::create(options));
  EXPECT_GT(refuse_each([&] { make_all(device); }), 100);
}

// Making pipelines takes long.
TEST_F(RefusedMemory, OfADeviceOrPipelinesIsAnError) {
  DeviceOptions options;
  options.get_instance_proc_addr = UnrefusedVulkan::entry_point;
  const Device maker = test::must(Device::create(options));
  const DeviceHandles handles = handles_of(maker, UnrefusedVulkan::entry_point);
  EXPECT_GT(refuse_each([&] { made([&] { return Device::adopt(handles); }); }), 5);
  CrowdOptions positions;
  positions.outputs.normals.format = positions.outputs.tangents.format = VertexFormat::kNone;
  const auto make_pipelines = [&] {
    const Device device = test::must(Device::adopt(handles));
    const GpuCharacters gpu = made([&] { return upload(device, characters_[1]); });
    made([&] { return Crowd::create(device, gpu, positions); });
  };
  EXPECT_GT(refuse_each(make_pipelines, 11), 100);
}

TEST_F(RefusedMemory, OfTheDeviceIsAnError) {
  CountingMemory memory(*test::gpu_device());
  DeviceHandles handles = handles_of(*test::gpu_device(), UnrefusedVulkan::entry_point);
  handles.memory = memory.callbacks();
  const Device device = test::must(Device::adopt(handles));
  for (std::size_t refused = 1; memory.refuse_in == 0; ++refused) {
    memory.refuse_in = refused;
    make_all(device);
    EXPECT_TRUE(memory.held.empty());
  }
}

TEST_F(RefusedMemory, OfAFileOrAnEvaluatorIsAnError) {
  const std::vector<std::byte> bytes = serialize(characters_[0]);
  const std::string name = "a file whose name takes memory";
  EXPECT_GT(refuse_each([&] { made([&] { return deserialize(bytes, name); }); }), 50);
  EXPECT_GT(refuse_each([&] { made([&] { return Evaluator::create(characters_[0], {}); }); }), 8);
}

#ifndef _WIN32  // there a library has an operator new of its own
void made_in_c(const std::function<pelt_result()>& make) {
  made([&]() -> Result<void> {
    const pelt_result result = make();
    if (result == PELT_OK) return {};
    return fail(result == PELT_ERROR_OUT_OF_MEMORY ? ErrorCode::kOutOfMemory : ErrorCode::kStopped, "refused");
  });
}

TEST_F(RefusedMemory, IsAnErrorInC) {
  const std::vector<std::byte> bytes = serialize(characters_[0]);
  pelt_device_handles handles = handles_of_device();
  handles.get_instance_proc_addr = UnrefusedVulkan::entry_point;
  const auto adopted = [&] {
    pelt_device* device = nullptr;
    made_in_c([&] { return pelt_device_adopt(&handles, &device); });
    return DeviceHandle(device);
  };
  EXPECT_GT(refuse_each(adopted), 5);
  const DeviceHandle device = adopted();
  const auto make = [&] {
    pelt_character* character = nullptr;
    made_in_c([&] { return pelt_character_load_memory(bytes.data(), bytes.size(), "x", &character); });
    const CharacterHandle owned(character);
    pelt_evaluator* evaluator = nullptr;
    made_in_c([&] { return pelt_evaluator_create(character, nullptr, &evaluator); });
    const EvaluatorHandle moved(evaluator);
    made_in_c([&] { return pelt_evaluator_detail(evaluator, PELT_DETAIL_LINEAR_BLEND); });
    EXPECT_OK(pelt_evaluator_evaluate(evaluator));
    pelt_gpu_characters* gpu = nullptr;
    made_in_c([&] { return pelt_gpu_characters_create(device.get(), &character, 1, nullptr, &gpu); });
    const GpuHandle uploaded(gpu);
    pelt_crowd* crowd = nullptr;
    made_in_c([&] { return pelt_crowd_create(device.get(), gpu, nullptr, &crowd); });
    const CrowdHandle live(crowd);
  };
  EXPECT_GT(refuse_each(make, 3), 100);
}
#endif

#ifdef PELT_GAME_LIBRARY
// Memory of a game's, which refuses a piece.
struct GameMemory {
  std::size_t pieces = 0;
  std::size_t refuse_in = 0;

  static void* allocate(void* user, std::size_t size, std::size_t alignment) {
    auto& game = *static_cast<GameMemory*>(user);
    if (game.refuse_in > 0 && --game.refuse_in == 0) return nullptr;
    ++game.pieces;
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  }
  static void free(void* user, void* piece) {
    --static_cast<GameMemory*>(user)->pieces;
    std::free(piece);
  }
};

TEST_F(RefusedMemory, OfAGameIsAnError) {
  void* const library = dlopen(PELT_GAME_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
#define PELT_FIND(name) const auto game_##name = reinterpret_cast<decltype(&name)>(dlsym(library, #name))
  PELT_FIND(pelt_set_host_memory);
  PELT_FIND(pelt_character_load_memory);
  PELT_FIND(pelt_character_destroy);
  PELT_FIND(pelt_evaluator_create);
  PELT_FIND(pelt_evaluator_destroy);
  PELT_FIND(pelt_evaluator_evaluate);
#undef PELT_FIND
  GameMemory memory;
  pelt_host_memory host{sizeof(host), 0, &memory, GameMemory::allocate, nullptr};
  EXPECT_EQ(game_pelt_set_host_memory(&host), PELT_ERROR_INVALID_ARGUMENT);
  host.free = GameMemory::free;
  ASSERT_EQ(game_pelt_set_host_memory(&host), PELT_OK);
  const std::vector<std::byte> bytes = serialize(characters_[0]);
  std::size_t refused = 0;
  for (; memory.refuse_in == 0 && !HasFailure(); ++refused) {
    memory.refuse_in = refused + 1;
    pelt_character* character = nullptr;
    made_in_c([&] { return game_pelt_character_load_memory(bytes.data(), bytes.size(), "x", &character); });
    pelt_evaluator* evaluator = nullptr;
    made_in_c([&] { return game_pelt_evaluator_create(character, nullptr, &evaluator); });
    EXPECT_EQ(game_pelt_evaluator_evaluate(evaluator), PELT_OK);
    EXPECT_GT(memory.pieces, 10u);
    EXPECT_NE(game_pelt_set_host_memory(nullptr), PELT_OK);
    game_pelt_character_destroy(character);
    game_pelt_evaluator_destroy(evaluator);
    EXPECT_EQ(memory.pieces, 0u);
  }
  EXPECT_GT(refused, 50u);
  EXPECT_EQ(game_pelt_set_host_memory(nullptr), PELT_OK);
  EXPECT_EQ(pelt_set_host_memory(nullptr), PELT_ERROR_UNSUPPORTED);  // of the library with authoring
  dlclose(library);
}
#endif

}  // namespace
}  // namespace pelt::runtime
