// SPDX-License-Identifier: MIT
#include "tests/runtime/crowd_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <pelt/evaluate.h>
#include <pelt/pose.h>
#include <pelt/runtime/transfer.h>

#include "tests/runtime/callers_buffer.h"
#include "tests/support/driven.h"
#include "tests/support/morphs.h"
#include "tests/support/must.h"
#include "tests/support/swinging.h"

namespace pelt::runtime {
namespace {

constexpr std::uint32_t kRoomForEach = 3;  // instances that a crowd has room for, of each kind of character
constexpr std::uint32_t kLoggedFrames = 20;

// GPU and CPU differ by rounding, of which thin drivers magnify some; stale, torn or another instance's data are off by
// far more. Relative to the reach.
constexpr float kCpuTolerance = 3e-4f;

// Whether mesh m is shown at a level by itself or, if `by` is set, by that level.
bool is_shown_by(const CharacterData& data, std::size_t m, std::optional<std::size_t> by, std::uint32_t level) {
  std::optional<std::size_t> shown;
  for (std::size_t l = 0; l < data.levels.size(); ++l) {
    if (data.levels[l].of == m && data.levels[l].level <= level) shown = l;
  }
  return shown == by;
}

// Calls visit(mesh, first vertex, count) for the vertices that an instance of character `number` shows of each mesh at
// a level.
template <class Visit>
void for_shown(const Crowd& crowd, std::uint32_t number, const CharacterData& data, std::uint32_t level,
               const Visit& visit) {
  const CrowdMember& member = *crowd.member(number);
  for (std::uint32_t m = 0; m < data.meshes.size(); ++m) {
    const std::uint32_t first = member.mesh_vertices[m];
    if (first == shared::kNoIndex) continue;
    if (is_shown_by(data, m, std::nullopt, level)) visit(m, first, data.meshes[m].vertex_count());
    for (std::uint32_t l = 0; l < data.levels.size(); ++l) {
      if (data.levels[l].of == m && is_shown_by(data, m, l, level))
        visit(m, member.level_vertices[l], data.levels[l].skin.vertex_count());
    }
  }
}

}  // namespace

std::vector<Character> make_kinds() {
  Model levelled = test::make_tube({.around = 10, .along = 16});
  for (const std::uint32_t level : {1u, 3u}) {
    levelled.levels.push_back({0, level, test::make_tube_mesh({.around = 10 - 2 * level, .along = 14 - 3 * level})});
    levelled.levels.back().mesh.name = "tube_LOD" + std::to_string(level);
  }
  Model two = levelled;
  two.meshes.push_back(test::make_tube_mesh({.around = 5, .along = 7, .radius = 0.5f}));
  two.meshes.back().name = "inner";
  Model morphing = levelled;
  test::add_morph_targets(morphing.meshes[0], 5);
  for (MeshLevel& level : morphing.levels) test::add_morph_targets(level.mesh, 5);
  std::vector<Character> kinds{test::bound_by(two, "dual_quaternion"), test::bound_by(morphing, "surface_ffd"),
                               test::swinging_tube(),
                               test::bound(test::make_tubes_in_two_cages(), test::two_cages()).character};
  for (const std::string_view deformer : deformer_names())
    kinds.push_back(test::bound_with(levelled, std::string(deformer)).character);
  return kinds;
}

CrowdConfiguration::CrowdConfiguration(std::mt19937& random) {
  const auto maybe = [&] { return random() % 2 == 0; };
  slots = 1 + static_cast<std::uint32_t>(random() % kMaxOutputSlots);
  frames_in_flight = 1 + static_cast<std::uint32_t>(random() % 3);
  listed = maybe();
  drawn = maybe();
  previous = maybe();
  parts = drawn || maybe();
  bounds = random() % 4 != 0;
}

CrowdOptions CrowdConfiguration::options(CrowdOptions plain, const BufferLocation& list,
                                         const BufferLocation& second_list) const {
  plain.frames_in_flight = frames_in_flight;
  plain.outputs.slots = slots;
  if (!previous) plain.outputs.previous_positions = {};
  plain.outputs.bounds = bounds;
  if (listed) plain.list = list;
  if (drawn) plain.drawn = second_list;
  return plain;
}

std::string CrowdConfiguration::text() const {
  std::ostringstream out;
  out << slots << " slots, " << frames_in_flight << " frames in flight";
  const std::pair<bool, const char*> flags[] = {
      {listed, "listed"}, {drawn, "drawn"}, {previous, "previous positions"}, {parts, "parts"}, {bounds, "bounds"}};
  for (const auto& [is_on, name] : flags) out << (is_on ? ", " : "") << (is_on ? name : "");
  return out.str();
}

template <class Make>
auto CrowdPair::made(const Make& make) {
  if (refusing_ != nullptr && any(4) == 0) {
    const std::string before = refusing_->objects();
    refusing_->refuse_object_in(1 + any(12));
    auto result = make();
    refusing_->refuse_object_in(0);
    if (result) return test::must(std::move(result));
    ++refusing_->refusals;
    EXPECT_EQ(refusing_->objects(), before) << result.error().message;
  }
  return test::must(make());
}

template <class... Values>
void CrowdPair::write(const char* name, const Values&... values) {
  log_ << ' ' << name << '(';
  std::size_t count = 0;
  ((log_ << (count++ > 0 ? ", " : "") << values), ...);
  log_ << ')';
}

CrowdPair::CrowdPair(const Device& device, std::uint32_t seed, const std::vector<Character>& kinds,
                     RefusingDevice* refusing)
    : device_(device),
      random_(seed),
      configuration_(random_),
      kinds_(kinds),
      refusing_(refusing),
      kind_by_number_{any(kinds.size()), any(kinds.size()), any(kinds.size()), 0},
      list_(callers_buffer(4096, device)),
      drawn_(callers_buffer(4096, device)),
      gpu_(upload_some()) {
  CrowdOptions options{.instances = {2, 2, 2}};
  options.outputs.bounds = true;
  options.outputs.previous_positions.format = VertexFormat::kFloat;
  for (const Character& kind : kinds_) options.capacity += capacity_of(kind, kRoomForEach, options.outputs);
  options.capacity.vertices /= 2;
  plain_.emplace(made([&] { return Crowd::create(device_, gpu_, options); }));
  other_.emplace(made(
      [&] { return Crowd::create(device_, gpu_, configuration_.options(options, rest_of(list_), rest_of(drawn_))); }));
  lists_.emplace(plain_->instance_count());
  listed_.resize(plain_->instance_count());
  was_listed_ = listed_;
}

bool CrowdPair::frame(std::uint32_t number) {
  if (number % kLoggedFrames == 0) log_ = std::ostringstream(configuration_.text(), std::ios::ate);
  log_ << "\n  frame " << number << ':';
  for (std::uint32_t calls = any(5); calls > 0; --calls) call();
  pose();
  record();
  bool same = has_its_table(*other_);
  for (const std::uint32_t i : instances()) {
    if (plain_->instance(i)->has_outputs && lists_->is_shown(i)) same = shows_the_same(i) && same;
  }
  was_listed_ = listed_;
  return same && agree_;
}

float CrowdPair::between(float least, float most) {
  return least + (most - least) * static_cast<float>(any(4096)) / 4095;
}

bool CrowdPair::alike(bool plain, bool other) {
  if (plain != other) log_ << " <<one of them refuses>>";
  agree_ = agree_ && plain == other;
  return plain && other;
}

std::vector<std::uint32_t> CrowdPair::instances() const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < plain_->instance_count(); ++i) {
    if (plain_->instance(i)) found.push_back(i);
  }
  return found;
}

GpuCharacters CrowdPair::upload_some() {
  std::vector<Character> some;
  for (const std::uint32_t number : numbers_) some.push_back(kinds_[kind_by_number_[number]]);
  return made([&] { return upload(device_, some); });
}

void CrowdPair::call() {
  const std::vector<std::uint32_t> there = instances();
  const std::uint32_t what = any(12);
  if (what == 0 || there.empty()) return acquire();
  if (what == 1) return change_character();
  const std::uint32_t i = there[any(there.size())];
  if (what == 2) return release(i);
  if (what == 3) return give_or_take(i);
  change(i, what);
}

void CrowdPair::acquire() {
  const std::uint32_t character = numbers_[any(numbers_.size())];
  const Result<std::uint32_t> plain = plain_->acquire(character);
  const Result<std::uint32_t> other = other_->acquire(character);
  if (!alike(plain.has_value(), other.has_value())) return;
  write("acquire", character, *plain);
  lists_->reset(*plain);
  alike(*plain == *other && !told_.contains(*plain), true);
}

void CrowdPair::release(std::uint32_t i) {
  write("release", i);
  both([&](Crowd& crowd) { crowd.release(i); });
  told_.erase(i);
}

void CrowdPair::give_or_take(std::uint32_t i) {
  if (plain_->instance(i)->has_outputs) {
    write("give_outputs", i);
    both([&](Crowd& crowd) { crowd.set_outputs(i, false); });
  } else if (alike(plain_->set_outputs(i, true).has_value(), other_->set_outputs(i, true).has_value())) {
    write("take_outputs", i);
  }
}

// Adds a character of any kind, which replaces one, or for which one is removed; then the lowest number is another one.
void CrowdPair::change_character() {
  if (any(3) > 0) return;
  std::uint32_t& number = numbers_[any(numbers_.size())];
  const bool replaces = any(2) == 0;
  const std::size_t kind = any(kinds_.size());
  const auto with = made([&] { return gpu_.add(device_, kinds_[kind]); });
  kind_by_number_[with] = kind;
  test::must(submit_and_wait(device_, "upload", [&](VkCommandBuffer commands) { gpu_.record_upload(commands); }));
  gpu_.finish_upload();
  std::vector<std::uint32_t> of_it;
  for (const std::uint32_t i : instances()) {
    if (plain_->instance(i)->character == number) of_it.push_back(i);
  }
  write(replaces ? "replace" : "remove and add", number, with, kinds_[kind]->name);
  if (replaces) {
    const auto replaced = [&](Crowd& crowd) {
      const Result<void> result = crowd.replace(device_, number, with);
      if (!result && result.error().code != ErrorCode::kUnsupported) test::must(result);
      return result.has_value();
    };
    const bool plain = replaced(*plain_);
    if (!alike(plain, replaced(*other_))) return test::must(gpu_.remove(with));
    for (const std::uint32_t i : of_it) {
      rest(i);
      both([&](Crowd& crowd) { crowd.pose(i, told_[i].joints); });
      both([&](Crowd& crowd) { crowd.inputs(i, told_[i].inputs); });
    }
  } else {
    for (const std::uint32_t i : of_it) release(i);
    both([&](Crowd& crowd) {
      test::must(crowd.remove(number));
      made([&] { return crowd.add(device_, with); });
    });
  }
  test::must(gpu_.remove(number));
  number = with;
}

void CrowdPair::rest(std::uint32_t i) {
  const Character& character = character_of(i);
  Told& told = told_[i];
  told.joints.resize(character->skeleton.joints.size());
  rest_matrices(character->skeleton, told.joints);
  told.inputs.resize(character->input_count);
  rest_inputs(*character, told.inputs);
}

void CrowdPair::change(std::uint32_t i, std::uint32_t what) {
  const std::uint32_t value = any(4);
  const std::uint32_t frames = any(4);
  if (what == 4 && plain_->instance(i)->has_outputs) {
    write("show", i, value % 2);
    lists_->show(i, value % 2 == 1);
  } else if (what <= 6) {
    told_[i].every = frames < 2 ? 1 : value;
    write("update_every", i, told_[i].every);
    lists_->update_every(i, told_[i].every);
  } else if (what == 7) {
    write("teleport", i);
    teleported_.insert(i);
  } else if (what == 8) {
    write("detail", i, value % 2);
    told_[i].detail = static_cast<Detail>(value % 2);
    lists_->detail(i, told_[i].detail);
  } else {
    write("level", i, value, frames);
    lists_->level(i, value, frames);
  }
}

// Sets poses and inputs of most instances; new ones stay at rest until their turn.
void CrowdPair::pose() {
  for (const std::uint32_t i : instances()) {
    const Character& character = character_of(i);
    Told& told = told_[i];
    if (told.joints.empty()) rest(i);
    if (any(3) == 0) continue;
    std::vector<Transform> local(told.joints.size());
    rest_pose(character->skeleton, local);
    local[0].translation += glm::vec3(between(-5, 5), between(-5, 5), between(-5, 5));
    for (Transform& joint : local)
      joint.rotation *=
          glm::angleAxis(between(-0.7f, 0.7f), glm::normalize(glm::vec3(between(-1, 1), between(-1, 1), 2)));
    model_matrices(character->skeleton, local, told.joints);
    both([&](Crowd& crowd) { crowd.pose(i, told.joints); });
    if (character->clock_input()) continue;
    rest_inputs(*character, told.inputs);
    for (float& input : told.inputs) input += between(-0.2f, 0.2f);
    both([&](Crowd& crowd) { crowd.inputs(i, told.inputs); });
  }
  both([](Crowd& crowd) { crowd.advance(1.0f / 60); });
}

// Lists everything that is shown; the second list may leave some of it out.
void CrowdPair::record() {
  const auto next = lists_->next();
  std::vector<shared::ListEntry> list(next.begin(), next.end());
  std::vector<shared::ListEntry> drawn;
  std::fill(listed_.begin(), listed_.end(), false);
  for (shared::ListEntry& entry : list) {
    if (teleported_.contains(entry.instance)) entry.state |= shared::kEntryTeleport;
    const std::optional<CrowdInstance> instance = plain_->instance(entry.instance);
    if (!instance || !instance->has_outputs || (configuration_.drawn && any(4) == 0)) continue;
    listed_[entry.instance] = true;
    drawn.push_back(entry);
  }
  teleported_.clear();
  std::shuffle(drawn.begin(), drawn.end(), random_);
  const auto write_list = [](Buffer& to, const std::vector<shared::ListEntry>& entries) {
    fill(to, std::vector{static_cast<std::uint32_t>(entries.size())});
    if (!entries.empty()) fill(to, entries, sizeof(std::uint32_t));
  };
  // Once more, which both must ignore.
  for (std::vector<shared::ListEntry>* entries : {&list, &drawn}) {
    if (!entries->empty() && entries->size() < plain_->instance_count() && any(3) == 0)
      entries->push_back((*entries)[any(entries->size())]);
  }
  write_list(list_, list);
  write_list(drawn_, drawn);
  test::must(submit_and_wait(device_, "both", [&](VkCommandBuffer commands) {
    plain_->record(commands, {.list = list});
    RecordOptions options;
    if (!configuration_.listed) options.list = list;
    if (!configuration_.parts) return other_->record(commands, options);
    options.part = FramePart::kPose;
    other_->record(commands, options);
    other_->record(commands, {.part = FramePart::kBlend});
  }));
}

bool CrowdPair::is_near(std::uint32_t instance, const char* what, const std::vector<glm::vec3>& wanted,
                        const std::vector<glm::vec3>& got, float most) {
  float worst = 0;
  const ShownLevels shown = lists_->shown_levels(instance);
  for (const std::uint32_t level : {shown.from, shown.to}) {
    for_shown(*plain_, plain_->instance(instance)->character, *character_of(instance), level,
              [&](std::uint32_t, std::uint32_t first, std::uint32_t count) {
                for (std::uint32_t v = first; v < first + count; ++v) {
                  const float off = glm::distance(wanted[v], got[v]);
                  if (!(off <= worst)) worst = off;  // NaN too
                }
              });
  }
  if (worst <= most) return true;
  log_ << " <<" << what << " of instance " << instance << " off by " << worst << ">>";
  return false;
}

bool CrowdPair::shows_the_same(std::uint32_t i) {
  const Box wanted_box = made([&] { return read_bounds(device_, *plain_, i); });
  const Box box = configuration_.bounds ? made([&] { return read_bounds(device_, *other_, i); }) : wanted_box;
  const float size = glm::distance(wanted_box.least, wanted_box.greatest);
  const float near = 1e-6f * size;
  const float off = glm::distance(wanted_box.least, box.least) + glm::distance(wanted_box.greatest, box.greatest);
  bool same = off <= near;
  if (!same) log_ << " <<box of instance " << i << " off by " << off << ">>";
  if (!listed_[i]) return same;
  const InstanceVertices wanted = made([&] { return read_vertices(device_, *plain_, i); });
  const InstanceVertices got = made([&] { return read_vertices(device_, *other_, i); });
  constexpr float kNearNormals = 2e-4f;  // a unit of 16 bits, and more
  same = is_near(i, "position", wanted.positions, got.positions, near) && same;
  same = is_near(i, "normal", wanted.normals, got.normals, kNearNormals) && same;
  if (any(4) == 0) same = is_as_on_the_cpu(i, wanted, wanted_box) && same;
  if (!configuration_.previous) return same;
  // Skins that were not drawn in the frame before have no motion.
  const bool moves = !configuration_.drawn || was_listed_[i];
  const std::vector<glm::vec3>& before = moves ? wanted.previous_positions : got.positions;
  return is_near(i, "previous position", before, got.previous_positions, near) && same;
}

// The table of the last frame has what the crowd returns, and shows what was listed.
bool CrowdPair::has_its_table(const Crowd& crowd) {
  const std::uint64_t frame = crowd.frames() - 1;
  const std::uint32_t slots = &crowd == &*plain_ ? 1 : configuration_.slots;
  const VkDescriptorBufferInfo table = crowd.table(frame);
  const std::vector<std::byte> bytes =
      made([&] { return read_buffer(device_, table.buffer, table.offset, table.range); });
  const auto load = [&](auto value, std::size_t at) {
    std::memcpy(&value, &bytes[at], sizeof(value));
    return value;
  };
  const auto header = load(shared::TableHeader{}, 0);
  bool right = header.frame == frame && header.slot == frame % slots &&
               header.previous_slot == (frame + slots - 1) % slots && header.instance_count == crowd.instance_count();
  for (std::uint32_t i = 0; i < crowd.instance_count(); ++i) {
    const auto row = load(shared::InstanceLocation{}, sizeof(header) + i * sizeof(shared::InstanceLocation));
    right = right && (row.state != shared::kNoIndex) == listed_[i] &&
            row.character == (crowd.instance(i) ? crowd.instance(i)->character : shared::kNoIndex);
    if (!crowd.instance(i)) continue;
    const CrowdInstance place = *crowd.instance(i);
    const CrowdMember& member = *crowd.member(place.character);
    const CharacterData& data = *character_of(i);
    const ShownLevels shown = lists_->shown_levels(i);
    right = right && row.first_vertex == (place.has_outputs ? place.first_vertex : shared::kNoIndex) &&
            row.first_joint == place.first_joint && row.first_input == place.first_input &&
            row.first_palette == place.first_palette && row.mesh_count == data.meshes.size() + data.levels.size();
    std::uint32_t next = row.first_mesh;
    const auto check = [&](std::size_t m, std::optional<std::size_t> level, const CharacterMesh& mesh,
                           std::uint32_t first) {
      const auto found = load(shared::MeshLocation{}, next++ * sizeof(shared::MeshLocation));
      const bool shows = listed_[i] && first != shared::kNoIndex &&
                         (is_shown_by(data, m, level, shown.from) || is_shown_by(data, m, level, shown.to));
      right =
          right && found.first_vertex == first && found.vertex_count == mesh.vertex_count() &&
          mesh_shown(row.state, found) == shows &&
          (!shows || previous_slot_of(header, row.state, found) == crowd.previous_frame(i, first, row.state) % slots);
    };
    for (std::uint32_t m = 0; m < data.meshes.size(); ++m) check(m, {}, data.meshes[m], member.mesh_vertices[m]);
    for (std::uint32_t l = 0; l < data.levels.size(); ++l)
      check(data.levels[l].of, l, data.levels[l].skin, member.level_vertices[l]);
  }
  if (!right) log_ << " <<table>>";
  return right;
}

// Those that swing, or are not moved in every frame, may stand elsewhere.
bool CrowdPair::is_as_on_the_cpu(std::uint32_t i, const InstanceVertices& plain, const Box& box) {
  const Told& told = told_[i];
  const Character& character = character_of(i);
  if (told.every != 1 || character->clock_input()) return true;
  const std::uint32_t level = lists_->shown_levels(i).to;
  const Character shown = character.at_level(level);
  Evaluator evaluator(shown);
  evaluator.set_detail(told.detail);
  evaluator.pose(told.joints);
  evaluator.inputs(told.inputs);
  evaluator.evaluate();
  float reach = character.size();
  for (const glm::vec3& position : evaluator.positions()) reach = std::max(reach, glm::length(position));
  float worst = 0;
  const auto keep_worst = [&](float off) {
    if (!(off / reach <= worst)) worst = off / reach;  // NaN too
  };
  for_shown(*plain_, plain_->instance(i)->character, *character, level,
            [&](std::uint32_t m, std::uint32_t first, std::uint32_t count) {
              const auto wanted = evaluator.positions().subspan(shown->meshes[m].first_vertex, count);
              for (std::uint32_t v = 0; v < count; ++v) {
                const glm::vec3 got = plain.positions[first + v];
                keep_worst(glm::distance(got, wanted[v]));
                keep_worst(glm::distance(got, glm::clamp(got, box.least, box.greatest)));
              }
            });
  if (worst < kCpuTolerance) return true;
  log_ << " <<instance " << i << " is off by " << worst << " of the reach from where the CPU moves it, or its box>>";
  return false;
}

}  // namespace pelt::runtime
