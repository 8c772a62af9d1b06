// SPDX-License-Identifier: MIT
// Random calls on a crowd of a random configuration and on a plain one: what both show must be the same in every frame.
// PELT_SEEDS=COUNT or PELT_SEEDS=FIRST:COUNT runs other seeds than the test names.
#include <gmock/gmock.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/pose.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/transfer.h>

#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/crowds.h"
#include "tests/support/swinging.h"

namespace pelt::runtime {
namespace {

using test::gpu_device;

constexpr std::uint32_t kCharacterNumbers = 3;  // of characters, at most at once
// Instances that a crowd has room for, of each kind of character for each number.
constexpr std::uint32_t kRoomForEach = 3;
constexpr std::uint32_t kFramesOfASeed = 20;
constexpr std::uint32_t kMaxFailures = 3;  // seeds

// What is different from a plain crowd.
struct Configuration {
  std::uint32_t slots = 1;
  std::uint32_t frames_in_flight = 2;
  bool drawn = false;  // a list says what is drawn
  bool previous = false;
  bool recomputed = false;  // normals, of the plain crowd too
  bool parts = false;

  explicit Configuration(std::mt19937& random) {
    const auto maybe = [&] { return random() % 2 == 0; };
    slots = 1 + static_cast<std::uint32_t>(random() % kMaxOutputSlots);
    frames_in_flight = 1 + static_cast<std::uint32_t>(random() % 3);
    drawn = maybe();
    previous = maybe() && !(drawn && slots > 1);
    recomputed = random() % 4 == 0;
    parts = drawn || maybe();
  }

  CrowdOptions options(CrowdOptions plain, VkBuffer list) const {
    plain.frames_in_flight = frames_in_flight;
    plain.outputs.slots = slots;
    if (!previous) plain.outputs.previous_positions = {};
    if (drawn) plain.drawn = {list};
    return plain;
  }

  std::string text() const {
    std::ostringstream out;
    out << slots << " slots, " << frames_in_flight << " frames in flight";
    const std::pair<bool, const char*> flags[] = {
        {drawn, "drawn"}, {previous, "previous positions"}, {recomputed, "recomputed normals"}, {parts, "parts"}};
    for (const auto& [is_on, name] : flags) out << (is_on ? ", " : "") << (is_on ? name : "");
    return out.str();
  }
};

// The two crowds, and what was done to them.
class CrowdPair {
 public:
  CrowdPair(std::uint32_t seed, const std::vector<Character>& kinds)
      : random_(seed), configuration_(random_), kinds_(kinds), list_(callers_buffer(4096)), gpu_(upload_all()) {
    CrowdOptions options{.instances = {2, 2, 2}};
    options.outputs.bounds = true;
    options.outputs.previous_positions.format = VertexFormat::kFloat;
    if (configuration_.recomputed) options.outputs.normal_mode = NormalMode::kRecomputed;
    for (std::uint32_t n = 0; n < kCharacterNumbers; ++n) {
      for (const Character& kind : kinds_) options.capacity += capacity_of(kind, kRoomForEach, options.outputs);
    }
    plain_.emplace(test::must(Crowd::create(*gpu_device(), gpu_, options)));
    other_.emplace(test::must(Crowd::create(*gpu_device(), gpu_, configuration_.options(options, list_.handle()))));
    listed_.resize(plain_->instance_count());
    was_listed_ = listed_;
    log_ << configuration_.text();
  }

  // Runs a frame of both; returns false if they show anything else.
  bool frame(std::uint32_t number) {
    log_ << "\n  frame " << number << ':';
    for (std::uint32_t calls = any(5); calls > 0; --calls) call();
    pose(number);
    record();
    bool same = true;
    for (const std::uint32_t i : instances()) {
      if (plain_->has_outputs(i) && plain_->is_shown(i)) same = shows_the_same(i) && same;
    }
    was_listed_ = listed_;
    return same && agree_;
  }
  std::string log() const { return log_.str(); }

 private:
  std::uint32_t any(std::size_t count) { return static_cast<std::uint32_t>(random_() % count); }
  template <class Call>
  void both(const Call& call) {
    call(*plain_);
    call(*other_);
  }
  template <class... Values>
  void write(const char* name, const Values&... values) {
    log_ << ' ' << name << '(';
    std::size_t count = 0;
    ((log_ << (count++ > 0 ? ", " : "") << values), ...);
    log_ << ')';
  }
  // Notes whether both crowds answer alike.
  bool alike(bool plain, bool other) {
    if (plain != other) log_ << " <<one of them refuses>>";
    agree_ = agree_ && plain == other;
    return plain && other;
  }

  std::vector<std::uint32_t> instances() const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < plain_->instance_count(); ++i) {
      if (plain_->has_instance(i)) found.push_back(i);
    }
    return found;
  }
  const CharacterData& data_of(std::uint32_t instance) const {
    return *kinds_[kind_by_number_[plain_->character_of(instance)]];
  }

  GpuCharacters upload_all() const {
    VkDeviceSize bytes = 0;
    for (const Character& kind : kinds_) bytes = std::max(bytes, GpuCharacters::bytes_of(kind, {.normal_rings = true}));
    return test::must(upload(*gpu_device(), kinds_, {.normal_rings = true, .capacity = 2 * kCharacterNumbers * bytes}));
  }

  // Does something to both that a game may do between frames.
  void call() {
    const std::vector<std::uint32_t> there = instances();
    const std::uint32_t what = any(12);
    if (what == 0 || there.empty()) return acquire();
    if (what == 1) return change_character();
    const std::uint32_t i = there[any(there.size())];
    if (what == 2) return release(i);
    if (what == 3) return give_or_take(i);
    change(i, what);
  }
  void acquire() {
    const std::uint32_t character = any(kCharacterNumbers);
    if (!plain_->has_character(character)) return;
    const Result<std::uint32_t> plain = plain_->acquire(character);
    const Result<std::uint32_t> other = other_->acquire(character);
    if (alike(plain.has_value(), other.has_value())) write("acquire", character, *plain);
    if (plain && other) alike(*plain == *other, true);
  }
  void release(std::uint32_t i) {
    write("release", i);
    both([&](Crowd& crowd) { crowd.release(i); });
  }
  void give_or_take(std::uint32_t i) {
    if (plain_->has_outputs(i)) {
      write("give_outputs", i);
      both([&](Crowd& crowd) { crowd.show(i, false), crowd.give_outputs(i); });
    } else if (alike(plain_->take_outputs(i).has_value(), other_->take_outputs(i).has_value())) {
      write("take_outputs", i);
      both([&](Crowd& crowd) { crowd.show(i, true); });
    }
  }
  // Removes a character, and adds one of any kind, which takes its number.
  void change_character() {
    if (any(3) > 0) return;
    const std::uint32_t number = any(kCharacterNumbers);
    for (const std::uint32_t i : instances()) {
      if (plain_->character_of(i) == number) release(i);
    }
    both([&](Crowd& crowd) { crowd.remove(number); });
    gpu_.remove(number);
    kind_by_number_[number] = any(kinds_.size());
    write("add", number, kinds_[kind_by_number_[number]]->name);
    alike(test::must(gpu_.add(*gpu_device(), kinds_[kind_by_number_[number]])) == number, true);
    EXPECT_TRUE(
        submit_and_wait(*gpu_device(), "upload", [&](VkCommandBuffer commands) { gpu_.record_upload(commands); }));
    gpu_.finish_upload();
    both([&](Crowd& crowd) { test::must(crowd.add(*gpu_device(), number)); });
  }
  void change(std::uint32_t i, std::uint32_t what) {
    const std::uint32_t value = any(4);
    const std::uint32_t frames = any(4);
    if (what == 4 && plain_->has_outputs(i)) {
      write("show", i, value % 2);
      both([&](Crowd& crowd) { crowd.show(i, value % 2 == 1); });
    } else if (what <= 6) {
      write("update_every", i, value);
      both([&](Crowd& crowd) { crowd.update_every(i, value); });
    } else if (what == 7) {
      write("teleport", i);
      both([&](Crowd& crowd) { crowd.teleport(i); });
    } else if (what == 8) {
      write("detail", i, value % 2);
      both([&](Crowd& crowd) { crowd.detail(i, static_cast<Detail>(value % 2)); });
    } else {
      write("level", i, value, frames);
      both([&](Crowd& crowd) { crowd.level(i, value, frames); });
    }
  }

  void pose(std::uint32_t frame) {
    for (const std::uint32_t i : instances()) {
      if (any(3) == 0) continue;
      const Skeleton& skeleton = data_of(i).skeleton;
      std::vector<glm::mat4> joints(skeleton.joints.size());
      rest_matrices(skeleton, joints);
      const float time = static_cast<float>(frame);
      joints.back() = joints.back() * glm::rotate(glm::mat4(1), 0.05f * time, glm::vec3(0, 0, 1));
      const glm::vec3 place(0.1f * time + static_cast<float>(i), 0.05f * time, 0);
      joints = moved(std::move(joints), glm::translate(glm::mat4(1), place));
      both([&](Crowd& crowd) { crowd.pose(i, joints); });
    }
    both([](Crowd& crowd) { crowd.advance(1.0f / 60); });
  }

  void record() {
    std::vector<std::uint32_t> words{0};
    for (std::uint32_t i = 0; i < listed_.size(); ++i) {
      const bool shown = plain_->has_instance(i) && plain_->has_outputs(i) && plain_->is_shown(i);
      listed_[i] = shown && (!configuration_.drawn || any(4) > 0);
      if (listed_[i]) words.push_back(i);
    }
    words[0] = static_cast<std::uint32_t>(words.size() - 1);
    fill(list_, words);
    EXPECT_TRUE(submit_and_wait(*gpu_device(), "both", [&](VkCommandBuffer commands) {
      plain_->record(commands);
      if (!configuration_.parts) return other_->record(commands);
      other_->record_pose(commands);
      other_->record_blend(commands);
    }));
  }

  // Whether mesh m is shown at `shown`, by itself or, `level` given, by that level.
  static bool is_shown_by(const CharacterData& data, std::size_t m, std::optional<std::size_t> level,
                          std::uint32_t shown) {
    std::optional<std::size_t> by;
    for (std::size_t l = 0; l < data.levels.size(); ++l) {
      if (data.levels[l].of == m && data.levels[l].level <= shown) by = l;
    }
    return by == level;
  }
  // Calls visit(first vertex, count) for the meshes that an instance shows.
  template <class Visit>
  void for_shown(std::uint32_t instance, const Visit& visit) const {
    const std::uint32_t number = plain_->character_of(instance);
    const CharacterData& data = data_of(instance);
    const ShownLevels shown = plain_->shown_levels(instance);
    const auto is_shown = [&](std::size_t m, std::optional<std::size_t> level) {
      return is_shown_by(data, m, level, shown.from) || is_shown_by(data, m, level, shown.to);
    };
    for (std::uint32_t m = 0; m < data.meshes.size(); ++m) {
      if (const auto first = plain_->mesh_vertex(number, m); first && is_shown(m, std::nullopt))
        visit(*first, data.meshes[m].vertex_count());
    }
    for (std::uint32_t l = 0; l < data.levels.size(); ++l) {
      if (is_shown(data.levels[l].of, l)) visit(plain_->level_vertex(number, l), data.levels[l].skin.vertex_count());
    }
  }

  bool is_near(std::uint32_t instance, const char* what, const std::vector<glm::vec3>& wanted,
               const std::vector<glm::vec3>& got, float most) {
    float worst = 0;
    for_shown(instance, [&](std::uint32_t first, std::uint32_t count) {
      for (std::uint32_t v = first; v < first + count; ++v) {
        const float off = glm::distance(wanted[v], got[v]);
        if (!(off <= worst)) worst = off;  // NaN too
      }
    });
    if (worst <= most) return true;
    log_ << " <<" << what << " of instance " << instance << " off by " << worst << ">>";
    return false;
  }

  bool shows_the_same(std::uint32_t i) {
    const Box wanted_box = test::must(read_bounds(*gpu_device(), *plain_, i));
    const Box box = test::must(read_bounds(*gpu_device(), *other_, i));
    const float size = glm::distance(wanted_box.least, wanted_box.greatest);
    const float near = 1e-6f * size;
    const float off = glm::distance(wanted_box.least, box.least) + glm::distance(wanted_box.greatest, box.greatest);
    bool same = off <= near;
    if (!same) log_ << " <<box of instance " << i << " off by " << off << ">>";
    if (!listed_[i]) return same;
    const InstanceVertices wanted = test::must(read_vertices(*gpu_device(), *plain_, i));
    const InstanceVertices got = test::must(read_vertices(*gpu_device(), *other_, i));
    constexpr float kNearNormals = 2e-4f;  // a unit of 16 bits, and more
    same = is_near(i, "position", wanted.positions, got.positions, near) && same;
    same = is_near(i, "normal", wanted.normals, got.normals, kNearNormals) && same;
    // What was not drawn in the frame before has no motion.
    if (!configuration_.previous || (configuration_.drawn && !was_listed_[i])) return same;
    return is_near(i, "previous position", wanted.previous_positions, got.previous_positions, near) && same;
  }

  std::mt19937 random_;
  Configuration configuration_;
  const std::vector<Character>& kinds_;
  std::vector<std::size_t> kind_by_number_{0, 1, 2};
  Buffer list_;
  GpuCharacters gpu_;
  std::optional<Crowd> plain_;
  std::optional<Crowd> other_;
  std::vector<bool> listed_;  // instances, in the frame that was recorded last
  std::vector<bool> was_listed_;
  bool agree_ = true;
  std::ostringstream log_;
};

// Returns a model of a tube with levels 1 and 3.
Model levelled_tube() {
  Model model = test::make_tube({.around = 10, .along = 16});
  for (const std::uint32_t level : {1u, 3u}) {
    MeshLevel made{0, level, test::make_tube_mesh({.around = 10 - 2 * level, .along = 14 - 3 * level})};
    made.mesh.name = "tube_LOD" + std::to_string(level);
    model.levels.push_back(std::move(made));
  }
  return model;
}

// A tube with levels beside one without, by dual quaternions; a tube with levels by a driver; and one whose surface
// swings.
std::vector<Character> make_kinds() {
  Model two = levelled_tube();
  two.meshes.push_back(test::make_tube_mesh({.around = 5, .along = 7, .radius = 0.5f}));
  two.meshes.back().name = "inner";
  return {test::bound_by(two, "dual_quaternion"), test::bound_by(levelled_tube(), "surface_ffd"),
          test::swinging_tube()};
}

struct Seeds {
  std::uint32_t first = 1;
  std::uint32_t count = 0;
};

// Returns the seeds that PELT_SEEDS names, or those given.
Seeds seeds_or(Seeds seeds) {
  const char* const given = std::getenv("PELT_SEEDS");
  if (given == nullptr) return seeds;
  const std::string_view text(given);
  const std::size_t colon = text.find(':');
  const auto number = [](std::string_view digits) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    EXPECT_TRUE(error == std::errc() && end == digits.data() + digits.size()) << "PELT_SEEDS: " << digits;
    return value;
  };
  if (colon == std::string_view::npos) return {1, number(text)};
  return {number(text.substr(0, colon)), number(text.substr(colon + 1))};
}

class RandomCrowds : public testing::Test {
 protected:
  void SetUp() override { PELT_REQUIRE_GPU(gpu_device()); }

  static void expect_same_as_plain(Seeds seeds) {
    static const std::vector<Character> kinds = make_kinds();
    ASSERT_GT(seeds.count, 0u);
    std::printf("seeds %u to %u\n", seeds.first, seeds.first + seeds.count - 1);
    std::uint32_t failures = 0;
    for (std::uint32_t seed = seeds.first; seed < seeds.first + seeds.count && failures < kMaxFailures; ++seed) {
      CrowdPair pair(seed, kinds);
      bool same = true;
      for (std::uint32_t frame = 0; frame < kFramesOfASeed && same; ++frame) same = pair.frame(frame);
      EXPECT_TRUE(same) << "PELT_SEEDS=" << seed << ":1, " << pair.log();
      if (!same) ++failures;
    }
  }
};

TEST_F(RandomCrowds, ShowWhatAPlainOneShows) { expect_same_as_plain(seeds_or({1, 40})); }

TEST_F(RandomCrowds, ShowWhatAPlainOneShowsByManySeeds) { expect_same_as_plain(seeds_or({1000, 250})); }

}  // namespace
}  // namespace pelt::runtime
