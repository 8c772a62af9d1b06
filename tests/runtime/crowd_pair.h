// SPDX-License-Identifier: MIT
// Random calls on a crowd of a random configuration and on a plain one: in every frame both must show the same, and
// agree with the CPU.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/crowd_lists.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/upload.h>

namespace pelt::runtime {

// Returns a small character of each kind that a crowd moves: every deformer, several meshes, levels of detail, morph
// targets, a stream, secondary action.
std::vector<Character> make_kinds();

// The differences from a plain crowd.
struct CrowdConfiguration {
  explicit CrowdConfiguration(std::mt19937& random);
  CrowdOptions options(CrowdOptions plain, const BufferLocation& list, const BufferLocation& drawn) const;
  std::string text() const;

  std::uint32_t slots = 1;
  std::uint32_t frames_in_flight = 2;
  bool listed = false;  // a buffer has the list
  bool drawn = false;   // and another one for the second part
  bool previous = false;
  bool parts = false;
  bool bounds = true;
  bool tension = false;
};

// A device that refuses memory now and then, and the objects on it that were not destroyed.
struct RefusingDevice {
  std::function<void(std::uint32_t calls)> refuse_object_in;  // 0: none
  std::function<std::string()> objects;
  std::uint64_t refusals = 0;  // so far
};

// The two crowds, and the calls that were made.
class CrowdPair {
 public:
  // With `refusing`, a refused call has no effect, and succeeds at the second try. All arguments outlive the pair. All
  // functions throw std::runtime_error if the device fails.
  CrowdPair(const Device& device, std::uint32_t seed, const std::vector<Character>& kinds,
            RefusingDevice* refusing = nullptr);

  // Runs a frame of both; returns false if they show anything else.
  bool frame(std::uint32_t number);
  // Returns the calls of the last frames.
  std::string log() const { return log_.str(); }

 private:
  // The calls for an instance.
  struct Told {
    std::vector<glm::mat4> joints;
    std::vector<float> inputs;
    Detail detail = Detail::kFull;
    std::uint32_t every = 1;
  };

  std::uint32_t any(std::size_t count) { return static_cast<std::uint32_t>(random_() % count); }
  float between(float least, float most);
  template <class Make>
  auto made(const Make& make);
  template <class Call>
  void both(const Call& call) {
    call(*plain_);
    call(*other_);
  }
  template <class... Values>
  void write(const char* name, const Values&... values);
  // Notes whether both crowds answer alike.
  bool alike(bool plain, bool other);
  std::vector<std::uint32_t> instances() const;
  const Character& character_of(std::uint32_t instance) const {
    return kinds_[kind_by_number_[plain_->instance(instance)->character]];
  }

  GpuCharacters upload_some();
  // Does something to both that a game may do between frames.
  void call();
  void acquire();
  void release(std::uint32_t i);
  void give_or_take(std::uint32_t i);
  void change_character();
  void rest(std::uint32_t i);
  void change(std::uint32_t i, std::uint32_t what);
  void pose();
  void record();

  template <class Vector>
  bool is_near(std::uint32_t instance, const char* what, const std::vector<Vector>& wanted,
               const std::vector<Vector>& got, float most);
  bool shows_the_same(std::uint32_t i);
  bool has_its_table(const Crowd& crowd);
  bool is_as_on_the_cpu(std::uint32_t i, const InstanceVertices& plain, const Box& box);

  const Device& device_;
  std::mt19937 random_;
  CrowdConfiguration configuration_;
  const std::vector<Character>& kinds_;
  RefusingDevice* refusing_;
  std::vector<std::size_t> kind_by_number_;        // of characters
  std::array<std::uint32_t, 3> numbers_{0, 1, 2};  // of those that the crowds have
  Buffer list_;
  Buffer drawn_;
  GpuCharacters gpu_;
  std::optional<Crowd> plain_;
  std::optional<Crowd> other_;
  std::optional<CrowdLists> lists_;
  std::set<std::uint32_t> teleported_;  // since the last frame
  std::map<std::uint32_t, Told> told_;
  std::vector<bool> listed_;  // instances, in the frame that was recorded last
  std::vector<bool> was_listed_;
  bool agree_ = true;
  std::ostringstream log_;
};

}  // namespace pelt::runtime
