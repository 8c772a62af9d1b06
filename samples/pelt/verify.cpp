// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <glm/gtc/matrix_transform.hpp>
#include <span>
#include <utility>

#include <pelt/bind.h>
#include <pelt/evaluate.h>
#include <pelt/rig.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/upload.h>
#include <pelt/tools/inspect.h>
#include <pelt/tools/parallel.h>
#include <pelt/try.h>
#include <pelt/typed_name.h>

#include "samples/pelt/commands.h"
#include "samples/pelt/rounding.h"

namespace pelt::samples {
namespace {

// Both sides compute in float, but in different orders and with different rounding of divisions, roots and sines. For a
// person, 1e-4 of the size is 0.2 mm.
constexpr double kAllowedPosition = 1e-4;  // of the reach: the size or, if larger, the distance from the origin
constexpr double kAllowedNumber = 1e-3;    // of the largest number of a pass
constexpr double kAllowedDirection = 1;  // degrees, for 999 of 1000 vertices: rounding decides a few in collapsed skin
constexpr int kFrames = 5;               // of each clip

// A comparison and the device's difference; kNoNumber if a value is finite on one side only.
struct Check {
  std::string what;
  double allowed = 0;
  std::uint64_t count = 0;     // numbers or vertices
  std::uint64_t left_out = 0;  // of them, decided by rounding
  double difference = 0;

  bool compared() const { return count > left_out; }  // proves nothing if most is left out
  bool passed() const { return difference <= allowed; }
  const char* result() const { return !passed() ? "wrong" : compared() ? "ok" : "left out"; }
  void add(double found, std::uint64_t numbers = 1) {
    count += numbers;
    difference = std::max(difference, std::isfinite(found) ? found : kNoNumber);
  }
};

struct Verified {
  std::string character;
  std::vector<Check> checks;
};

// Compares a character on the device with evaluators on the CPU, frame by frame.
class Verifier {
 public:
  Verifier(const runtime::Device& device, runtime::Crowd& crowd, const Character& character)
      : device_(device), crowd_(crowd), character_(character), evaluators_(make_evaluators(character)) {
    for (std::size_t p = 0; p < character->passes.size(); ++p) {
      const PalettePass& pass = character->passes[p];
      passes_.push_back({fmt::format("pass {}, {}", p, pose_kernel_name(pass.kernel)), kAllowedNumber});
    }
    for (const CharacterMesh& mesh : character->meshes) {
      meshes_.push_back({mesh.name + ", positions", kAllowedPosition});
      directions_.push_back({mesh.name + ", normals", kAllowedDirection});
    }
  }

  // Starts masses at rest in the next frame, which does not continue the previous one.
  void begin() {
    entry_.state = shared::kEntryTeleport;
    for (Evaluator& evaluator : evaluators_) evaluator.teleport();
  }

  // Moves both by a frame, and compares passes, vertices and boxes.
  Result<void> compare(const TimedPose& frame) {
    PELT_TRY(move(frame));
    PELT_TRY(compare_passes(frame.pose));
    PELT_ASSIGN(const auto vertices, runtime::read_vertices(device_, crowd_, 0));
    const double reach = steady_reach();
    for (std::size_t m = 0; m < character_->meshes.size(); ++m) compare_mesh(m, vertices, reach);
    return compare_box(vertices, reach);
  }

  // Moves all joints by one motion, which must move every vertex, if no driver is streamed.
  Result<void> move_as_one(const InstancePose& rest) {
    if (!character_->streams.empty()) return {};
    const std::vector<TimedPose> at_bind{{rest, 0}};
    const Evaluator unmoved = evaluated(character_, at_bind);
    const glm::mat4 motion = glm::rotate(glm::translate(glm::mat4(1), glm::vec3(character_.size())), 1.25f,
                                         glm::normalize(glm::vec3(1, 2, -3)));
    TimedPose moved{rest, 0};
    for (glm::mat4& joint : moved.pose.joints) joint = motion * joint;
    PELT_TRY(move(moved));
    PELT_ASSIGN(const auto vertices, runtime::read_vertices(device_, crowd_, 0));
    const double reach = steady_reach();
    Check check{"known answer: joints that move as one", kAllowedPosition};
    for (std::size_t v = 0; v < unmoved.positions().size(); ++v) {
      const glm::vec3 wanted(glm::dmat4(motion) * glm::dvec4(unmoved.positions()[v], 1));
      compare_position(check, v, vertices.positions[v], wanted, reach);
    }
    known_.push_back(std::move(check));
    return {};
  }

  // Compares the first mesh with the linear blend of the model's weights, in double precision.
  Result<void> compare_linear_blend(const Model& model, const TimedPose& frame, const std::string& clip) {
    PELT_TRY(move(frame));
    PELT_ASSIGN(const auto vertices, runtime::read_vertices(device_, crowd_, 0));
    Check check{fmt::format("known answer: '{}' in double precision", clip), kAllowedPosition};
    const CharacterMesh& mesh = character_->meshes[0];
    const double reach = steady_reach();
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
      const std::uint32_t source = mesh.source_vertex[v];
      const glm::dvec4 rest(model.meshes[0].positions[source], 1);
      glm::dvec4 wanted(0);
      for (const Influence& influence : model.meshes[0].weights.row(source)) {
        const BoundJoint& joint = model.bound_joints[influence.index];
        wanted += static_cast<double>(influence.weight) *
                  (glm::dmat4(frame.pose.joints[joint.joint]) * (glm::dmat4(joint.inverse_bind) * rest));
      }
      check.add(distance_between(vertices.positions[mesh.first_vertex + v], glm::vec3(wanted)) / reach);
    }
    known_.push_back(std::move(check));
    return {};
  }

  std::vector<Check> checks() && {
    std::vector<Check> all = std::move(known_);
    const auto add = [&](Check& check) {
      if (check.count + check.left_out > 0) all.push_back(std::move(check));
    };
    for (Check& pass : passes_) add(pass);
    for (std::size_t m = 0; m < meshes_.size(); ++m) {
      add(meshes_[m]);
      add(directions_[m]);
    }
    add(box_);
    return all;
  }

 private:
  // The character as it is, and shaken to both sides.
  static std::vector<Evaluator> make_evaluators(const Character& character) {
    std::vector<Evaluator> made;
    const Evaluator::Options options{.jobs = thread_jobs(), .control_meshes = true};
    for (int i = 0; i < 3; ++i) made.emplace_back(character, options);
    return made;
  }

  Result<void> move(const TimedPose& frame) {
    pose(crowd_, frame);
    samples::move(evaluators_[0], frame);
    samples::move(evaluators_[1], {shaken(character_, frame.pose, 1), frame.seconds});
    samples::move(evaluators_[2], {shaken(character_, frame.pose, -1), frame.seconds});
    const std::vector list{std::exchange(entry_, {})};
    return runtime::run(device_, crowd_, list);
  }

  // Returns the largest change by shaking; `distance` compares two evaluators.
  template <class Distance>
  double shift(const Distance& distance) const {
    return std::max(distance(evaluators_[0], evaluators_[1]), distance(evaluators_[0], evaluators_[2]));
  }
  double shift_of_position(std::size_t v) const {
    return shift(
        [&](const Evaluator& a, const Evaluator& b) { return distance_between(a.positions()[v], b.positions()[v]); });
  }

  // Returns the character's size or, if larger, the distance from the origin of its farthest vertex that rounding does
  // not decide.
  double steady_reach() const {
    double reach = character_.size();
    for (std::size_t v = 0; v < evaluators_[0].positions().size(); ++v) {
      const double away = glm::length(glm::dvec3(evaluators_[0].positions()[v]));
      if (std::isfinite(away) && away > reach && !is_up_to_rounding(shift_of_position(v), kAllowedPosition * away))
        reach = away;
    }
    return reach;
  }

  void compare_position(Check& check, std::size_t v, glm::vec3 found, glm::vec3 wanted, double reach) const {
    if (is_up_to_rounding(shift_of_position(v), kAllowedPosition * reach)) {
      ++check.left_out;
    } else {
      check.add(distance_between(found, wanted) / reach);
    }
  }

  void compare_mesh(std::size_t m, const runtime::InstanceVertices& vertices, double reach) {
    const CharacterMesh& mesh = character_->meshes[m];
    const Evaluator& cpu = evaluators_[0];
    std::vector<double> angles;
    for (std::uint32_t v = mesh.first_vertex; v < mesh.first_vertex + mesh.vertex_count(); ++v) {
      compare_position(meshes_[m], v, vertices.positions[v], cpu.positions()[v], reach);
      const double angle = degrees_between(vertices.normals[v], cpu.normals()[v]);
      const double turned = shift(
          [&](const Evaluator& a, const Evaluator& b) { return degrees_between(a.normals()[v], b.normals()[v]); });
      if (is_up_to_rounding(turned, kAllowedDirection)) {
        ++directions_[m].left_out;
      } else if (std::isfinite(angle)) {
        angles.push_back(angle);
      } else {
        directions_[m].add(angle);
      }
    }
    if (angles.empty()) return;
    const auto most = angles.begin() + static_cast<std::ptrdiff_t>((angles.size() - 1) * 999 / 1000);
    std::nth_element(angles.begin(), most, angles.end());
    directions_[m].add(*most, angles.size());
  }

  // Returns the palette as drivers pose it whose vertices are shaken one by one; shaking joints moves all vertices of a
  // joint together.
  std::vector<Affine> palette_by_shaken_drivers(const InstancePose& pose, float side) const {
    std::vector<Affine> palette(evaluators_[0].palette().begin(), evaluators_[0].palette().end());
    const std::vector<glm::vec3> vertices = shaken(evaluators_[0].positions(), side);
    for (const PalettePass& pass : character_->passes) {
      // A swinging mass continues from its state in the palette.
      if (pass.kernel == PoseKernel::kSecondaryAction) continue;
      pose_pass(pass, 0, pass.record_count, pose.joints, vertices, pose.inputs, palette);
    }
    return palette;
  }

  Result<void> compare_passes(const InstancePose& pose) {
    const std::span<const Affine> wanted = evaluators_[0].palette();
    PELT_ASSIGN(const auto bytes, runtime::read_buffer(device_, crowd_.outputs().palettes,
                                                       crowd_.instance(0)->first_palette * sizeof(Affine),
                                                       wanted.size() * sizeof(Affine)));
    std::vector<Affine> posed(wanted.size());
    std::memcpy(posed.data(), bytes.data(), bytes.size());
    const std::array shaken{palette_by_shaken_drivers(pose, 1), palette_by_shaken_drivers(pose, -1)};
    for (std::size_t p = 0; p < passes_.size(); ++p) compare_pass(p, posed, shaken);
    return {};
  }

  void compare_pass(std::size_t p, std::span<const Affine> posed, std::span<const std::vector<Affine>, 2> shaken) {
    const PalettePass& pass = character_->passes[p];
    const std::span<const Affine> wanted = evaluators_[0].palette().subspan(pass.first_entry);
    std::vector<double> shifts(std::size_t{pass.record_count} * entries_per_record(pass.kernel));
    double largest = 1;
    for (std::size_t e = 0; e < shifts.size(); ++e) {
      const std::size_t entry = pass.first_entry + e;
      const auto distance = [&](std::span<const Affine> a, std::span<const Affine> b) {
        return distance_between(numbers_of(a[entry]), numbers_of(b[entry]), quaternions_of(pass.kernel, e));
      };
      shifts[e] = shift([&](const Evaluator& a, const Evaluator& b) { return distance(a.palette(), b.palette()); });
      for (const std::vector<Affine>& palette : shaken) {
        shifts[e] = std::max(shifts[e], distance(evaluators_[0].palette(), palette));
      }
      const double own = largest_of(numbers_of(wanted[e]));
      if (!is_up_to_rounding(shifts[e], kAllowedNumber * own)) largest = std::max(largest, own);
    }
    for (std::size_t e = 0; e < shifts.size(); ++e) {
      if (is_up_to_rounding(shifts[e], kAllowedNumber * largest)) {
        passes_[p].left_out += EntryNumbers::extent;
        continue;
      }
      const double off = distance_between(numbers_of(posed[pass.first_entry + e]), numbers_of(wanted[e]),
                                          quaternions_of(pass.kernel, e));
      passes_[p].add(off / largest, EntryNumbers::extent);
    }
  }

  // Checks that the box contains the skin.
  Result<void> compare_box(const runtime::InstanceVertices& vertices, double reach) {
    PELT_ASSIGN(const auto box, runtime::read_bounds(device_, crowd_, 0));
    const bool has_box = is_finite(box.least) && is_finite(box.greatest);
    for (const CharacterMesh& mesh : character_->meshes) {
      if (mesh.control) continue;
      for (std::uint32_t v = mesh.first_vertex; v < mesh.first_vertex + mesh.vertex_count(); ++v) {
        if (!is_finite(evaluators_[0].positions()[v]) ||
            is_up_to_rounding(shift_of_position(v), kAllowedPosition * reach)) {
          ++box_.left_out;
          continue;
        }
        const glm::vec3 position = vertices.positions[v];
        const glm::vec3 beyond = glm::max(glm::max(box.least - position, position - box.greatest), glm::vec3(0));
        const double most = std::max({beyond.x, beyond.y, beyond.z});
        box_.add(has_box && is_finite(position) ? most / reach : kNoNumber);
      }
    }
    return {};
  }

  const runtime::Device& device_;
  runtime::Crowd& crowd_;
  shared::ListEntry entry_{};  // of instance 0, in the next frame
  const Character& character_;
  std::vector<Evaluator> evaluators_;
  std::vector<Check> known_;
  std::vector<Check> passes_;
  std::vector<Check> meshes_;
  std::vector<Check> directions_;
  Check box_{"skin beyond its box", kAllowedPosition};
};

// `model`: that of a character with only linear blend; nullptr for others.
Result<Verified> compare(const runtime::Device& device, const Character& character, std::string name,
                         const Model* model) {
  PELT_ASSIGN(const auto uploaded, runtime::upload(device, character));
  runtime::CrowdOptions options;
  options.outputs.control_meshes = true;
  options.outputs.bounds = true;
  PELT_ASSIGN(auto crowd, runtime::Crowd::create(device, uploaded, options));
  Verifier verifier(device, crowd, character);
  PELT_ASSIGN(const auto at_rest, Poser::create(character, {}));
  PELT_TRY(verifier.move_as_one(at_rest.at(0)));
  verifier.begin();
  PELT_TRY(verifier.compare({at_rest.at(0), 0}));
  for (const Clip& clip : character->clips) {
    PELT_ASSIGN(const auto poser, Poser::create(character, {.clip = clip.name}));
    verifier.begin();
    const auto seconds = [&](int f) { return poser.duration() * static_cast<float>(f) / (kFrames - 1); };
    for (int f = 0; f < kFrames; ++f) {
      const std::vector<TimedPose> way = f == 0 ? poser.way_to(0) : poser.way(seconds(f - 1), seconds(f));
      for (const TimedPose& frame : way) PELT_TRY(verifier.compare(frame));
      if (model != nullptr && f == kFrames / 2) {
        PELT_TRY(verifier.compare_linear_blend(*model, way.back(), clip.name));
      }
    }
  }
  return Verified{std::move(name), std::move(verifier).checks()};
}

Result<std::vector<Verified>> verify_built_in(const runtime::Device& device) {
  std::vector<Verified> all;
  for (const std::string_view deformer : deformer_names()) {
    const std::string model = "builtin:arm";
    PELT_ASSIGN(const auto loaded, bind_model(model, {.deformer = std::string(deformer)}));
    const bool is_linear = deformer == "linear_blend";
    PELT_ASSIGN(auto verified,
                compare(device, loaded.bound.character, fmt::format("{} by {}", model, typed_name(deformer)),
                        is_linear ? &loaded.model : nullptr));
    all.push_back(std::move(verified));
  }
  return all;
}

Json describe(const Check& check) {
  return {
      {"what", check.what},         {"compared", check.count},
      {"left_out", check.left_out}, {"difference", std::isfinite(check.difference) ? Json(check.difference) : Json()},
      {"allowed", check.allowed},   {"passed", check.passed()},
      {"result", check.result()}};
}

VerifyReport report_of(const std::vector<Verified>& all) {
  VerifyReport report;
  for (const Verified& verified : all) {
    Json checks = Json::array();
    for (const Check& check : verified.checks) {
      checks.push_back(describe(check));
      report.wrong += check.passed() ? 0 : 1;
      report.count += check.compared() || !check.passed() ? 1 : 0;
      report.left_out += check.left_out;
    }
    Json shown = checks;
    for (Json& row : shown) {
      if (row["passed"] == false) row["result"] = "WRONG";
      if (row["compared"] == 0) row["difference"] = "";
    }
    report.text += fmt::format("\n{}\n{}", verified.character,
                               table_of(shown, {{"what", "what"},
                                                {"compared", "compared", "{}"},
                                                {"left out", "left_out", "{}"},
                                                {"differs by", "difference", "{:.1e}", 1, "not finite"},
                                                {"allowed", "allowed", "{:.0e}"},
                                                {"", "result"}}));
    report.characters.push_back({{"character", verified.character}, {"checks", std::move(checks)}});
  }
  report.text += fmt::format("\n{} of {} agree\n", report.count - report.wrong, report.count);
  return report;
}

}  // namespace

Result<VerifyReport> verify(const runtime::Device& device) {
  PELT_ASSIGN(const auto all, verify_built_in(device));
  return report_of(all);
}

Result<VerifyReport> verify(const runtime::Device& device, const Character& character, const std::string& name) {
  std::vector<Verified> all(1);
  PELT_ASSIGN(all[0], compare(device, character, name, nullptr));
  return report_of(all);
}

Result<void> run(const VerifyCommand& command) {
  std::vector<Verified> all;
  runtime::DeviceDescription description;
  PELT_TRY(with_device(command.gpu, [&](const runtime::Device& device) -> Result<void> {
    description = device.description();
    if (command.files.empty()) {
      PELT_ASSIGN(all, verify_built_in(device));
    }
    for (const std::string& file : command.files) {
      PELT_ASSIGN(const auto character, load_character(file, {}, 0));
      PELT_ASSIGN(auto verified, within(file, compare(device, character, file, nullptr)));
      all.push_back(std::move(verified));
    }
    return {};
  }));
  const VerifyReport report = report_of(all);
  if (command.json) {
    print_json({{"device", description.name},
                {"driver", description.driver},
                {"characters", report.characters},
                {"wrong", report.wrong}});
  } else {
    fmt::print("{}, {}: GPU against CPU. docs/cli.md describes the comparisons.\n", description.name,
               description.driver);
    fmt::print("{}", report.text);
  }
  if (report.count == 0) return fail(ErrorCode::kUnsupported, "rounding decides every comparison");
  if (report.wrong == 0) return {};
  return fail(ErrorCode::kDeviceFailed, fmt::format("{}: {} of {} comparisons differ by more than is allowed",
                                                    description.name, report.wrong, report.count));
}

}  // namespace pelt::samples
