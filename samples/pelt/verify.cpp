// SPDX-License-Identifier: MIT
#include "samples/pelt/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>
#include <nlohmann/json.hpp>
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

#include "samples/pelt/input.h"
#include "samples/pelt/table.h"

namespace pelt::samples {
namespace {

// Both sides compute in float, in another order and with another rounding of divisions, roots and sines. A tenth of a
// thousandth of a person's size is 0.2 mm.
constexpr double kAllowedPosition = 1e-4;  // of the reach: the size, or the distance from the origin if that is larger
constexpr double kAllowedNumber = 1e-3;    // of the largest number of a pass
constexpr double kAllowedDirection = 1;    // degrees, of 999 in 1000 vertices: rounding decides a few in collapsed skin
constexpr int kFrames = 5;                 // of each clip

constexpr double kNoNumber = std::numeric_limits<double>::infinity();

// What was compared, and how far the device is off; what is not finite is farther than all else.
struct Check {
  std::string what;
  std::uint64_t count = 0;  // numbers, entries or vertices that were compared
  double difference = 0;
  double allowed = 0;

  bool passed() const { return count > 0 && difference <= allowed; }
  void add(double found) {
    ++count;
    difference = std::max(difference, std::isfinite(found) ? found : kNoNumber);
  }
};

struct Verified {
  std::string character;
  std::vector<Check> checks;
};

double degrees_between(glm::vec3 a, glm::vec3 b) {
  const double angle = glm::degrees(std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)));
  return std::isfinite(angle) ? angle : kNoNumber;
}

bool is_finite(glm::vec3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

double reach_of(const Character& character, std::span<const glm::vec3> positions) {
  double reach = character.size();
  for (const glm::vec3 position : positions) reach = std::max(reach, static_cast<double>(glm::length(position)));
  return reach;
}

// Compares a character on the device with others, frame by frame.
class Verifier {
 public:
  Verifier(const runtime::Device& device, runtime::Crowd& crowd, const Character& character)
      : device_(device), crowd_(crowd), character_(character), evaluator_(character, {.jobs = thread_jobs()}) {
    for (std::size_t p = 0; p < character->passes.size(); ++p) {
      const PalettePass& pass = character->passes[p];
      passes_.push_back({fmt::format("pass {}, {}", p, pose_kernel_name(pass.kernel)), 0, 0, kAllowedNumber});
    }
    for (const CharacterMesh& mesh : character->meshes) {
      meshes_.push_back({mesh.name + ", positions", 0, 0, kAllowedPosition});
      directions_.push_back({mesh.name + ", normals", 0, 0, kAllowedDirection});
    }
    box_.allowed = kAllowedPosition;
  }

  // Moves both by a frame, and compares passes, vertices and boxes.
  Result<void> compare(const TimedPose& frame) {
    PELT_TRY(move(frame));
    PELT_TRY(compare_passes());
    PELT_ASSIGN(const auto vertices, runtime::read_vertices(device_, crowd_, 0));
    const double reach = reach_of(character_, evaluator_.positions());
    for (std::size_t m = 0; m < character_->meshes.size(); ++m) {
      const CharacterMesh& mesh = character_->meshes[m];
      std::vector<double> angles;
      for (std::uint32_t v = mesh.first_vertex; v < mesh.first_vertex + mesh.vertex_count(); ++v) {
        meshes_[m].add(glm::distance(vertices.positions[v], evaluator_.positions()[v]) / reach);
        angles.push_back(degrees_between(vertices.normals[v], evaluator_.normals()[v]));
      }
      if (angles.empty()) continue;
      const auto most = angles.begin() + static_cast<std::ptrdiff_t>((angles.size() - 1) * 999 / 1000);
      std::nth_element(angles.begin(), most, angles.end());
      directions_[m].add(*most);
      directions_[m].count += angles.size() - 1;
    }
    return compare_box(vertices, reach);
  }

  // Moves all joints by one motion: every vertex moves by it, if no driver is streamed.
  Result<void> move_as_one(const InstancePose& rest) {
    if (!character_->streams.empty()) return {};
    evaluator_.pose(rest.joints);
    evaluator_.inputs(rest.inputs);
    evaluator_.evaluate();
    const std::vector<glm::vec3> at_rest(evaluator_.positions().begin(), evaluator_.positions().end());
    const glm::mat4 motion = glm::rotate(glm::translate(glm::mat4(1), glm::vec3(character_.size())), 1.25f,
                                         glm::normalize(glm::vec3(1, 2, -3)));
    TimedPose moved{rest, 0};
    for (glm::mat4& joint : moved.pose.joints) joint = motion * joint;
    PELT_TRY(move(moved));
    PELT_ASSIGN(const auto vertices, runtime::read_vertices(device_, crowd_, 0));
    const double reach = reach_of(character_, vertices.positions);
    Check check{"known answer: joints that move as one", 0, 0, kAllowedPosition};
    for (std::size_t v = 0; v < at_rest.size(); ++v) {
      const glm::dvec3 wanted(glm::dmat4(motion) * glm::dvec4(at_rest[v], 1));
      check.add(glm::distance(glm::dvec3(vertices.positions[v]), wanted) / reach);
    }
    known_.push_back(std::move(check));
    return {};
  }

  // Compares the first mesh with the linear blend of the model's weights, in double precision.
  Result<void> compare_linear_blend(const Model& model, const TimedPose& frame, const std::string& clip) {
    PELT_TRY(move(frame));
    PELT_ASSIGN(const auto vertices, runtime::read_vertices(device_, crowd_, 0));
    Check check{fmt::format("known answer: '{}' in double precision", clip), 0, 0, kAllowedPosition};
    const CharacterMesh& mesh = character_->meshes[0];
    const double reach = reach_of(character_, vertices.positions);
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
      const std::uint32_t source = mesh.source_vertex[v];
      const glm::dvec4 rest(model.meshes[0].positions[source], 1);
      glm::dvec4 wanted(0);
      for (const Influence& influence : model.meshes[0].weights.row(source)) {
        const BoundJoint& joint = model.bound_joints[influence.index];
        wanted += static_cast<double>(influence.weight) *
                  (glm::dmat4(frame.pose.joints[joint.joint]) * (glm::dmat4(joint.inverse_bind) * rest));
      }
      check.add(glm::distance(glm::dvec3(vertices.positions[mesh.first_vertex + v]), glm::dvec3(wanted)) / reach);
    }
    known_.push_back(std::move(check));
    return {};
  }

  std::vector<Check> checks() && {
    std::vector<Check> all = std::move(known_);
    const auto add = [&](std::vector<Check>& checks) {
      for (Check& check : checks) {
        if (check.count > 0) all.push_back(std::move(check));
      }
    };
    add(passes_);
    for (std::size_t m = 0; m < meshes_.size(); ++m) {
      if (meshes_[m].count == 0) continue;
      all.push_back(std::move(meshes_[m]));
      all.push_back(std::move(directions_[m]));
    }
    if (box_.count > 0) all.push_back(std::move(box_));
    return all;
  }

 private:
  Result<void> move(const TimedPose& frame) {
    crowd_.advance(frame.seconds);
    crowd_.pose(0, frame.pose.joints);
    crowd_.inputs(0, frame.pose.inputs);
    evaluator_.advance(frame.seconds);
    evaluator_.pose(frame.pose.joints);
    evaluator_.inputs(frame.pose.inputs);
    evaluator_.evaluate();
    return runtime::run(device_, crowd_);
  }

  Result<void> compare_passes() {
    const std::span<const Affine> wanted = evaluator_.palette();
    PELT_ASSIGN(const auto bytes,
                runtime::read_buffer(device_, crowd_.palette_buffer(), crowd_.first_palette_entry(0) * sizeof(Affine),
                                     wanted.size() * sizeof(Affine)));
    std::vector<Affine> posed(wanted.size());
    std::memcpy(posed.data(), bytes.data(), bytes.size());
    for (std::size_t p = 0; p < passes_.size(); ++p) {
      const PalettePass& pass = character_->passes[p];
      if (pass.fit) continue;  // posed for the detail that has it alone
      const std::size_t count = std::size_t{pass.record_count} * entries_per_record(pass.kernel);
      const auto numbers = [&](std::span<const Affine> palette) {
        return std::span(reinterpret_cast<const float*>(&palette[pass.first_slot]), 12 * count);
      };
      const std::span<const float> cpu = numbers(wanted);
      const std::span<const float> gpu = numbers(posed);
      double largest = 1;
      for (const float number : cpu) largest = std::max(largest, std::abs(static_cast<double>(number)));
      for (std::size_t i = 0; i < cpu.size(); ++i) {
        passes_[p].add(std::abs(static_cast<double>(gpu[i]) - static_cast<double>(cpu[i])) / largest);
      }
    }
    return {};
  }

  // The box holds the skin.
  Result<void> compare_box(const runtime::InstanceVertices& vertices, double reach) {
    PELT_ASSIGN(const auto box, runtime::read_bounds(device_, crowd_, 0));
    for (const CharacterMesh& mesh : character_->meshes) {
      if (mesh.control) continue;
      for (std::uint32_t v = mesh.first_vertex; v < mesh.first_vertex + mesh.vertex_count(); ++v) {
        const glm::vec3 position = vertices.positions[v];
        const glm::vec3 beyond = glm::max(glm::max(box.least - position, position - box.greatest), glm::vec3(0));
        const bool finite = is_finite(box.least) && is_finite(box.greatest) && is_finite(position);
        box_.add(finite ? static_cast<double>(std::max({beyond.x, beyond.y, beyond.z})) / reach : kNoNumber);
      }
    }
    return {};
  }

  const runtime::Device& device_;
  runtime::Crowd& crowd_;
  const Character& character_;
  Evaluator evaluator_;
  std::vector<Check> known_;
  std::vector<Check> passes_;
  std::vector<Check> meshes_;
  std::vector<Check> directions_;
  Check box_{"skin beyond its box"};
};

// `model`: of a character that is moved by linear blend alone; nullptr: any other.
Result<Verified> verify(const runtime::Device& device, const Character& character, std::string name,
                        const Model* model) {
  PELT_ASSIGN(const auto uploaded, runtime::upload(device, character));
  runtime::CrowdOptions options;
  options.outputs.control_meshes = true;
  options.outputs.bounds = true;
  PELT_ASSIGN(auto crowd, runtime::Crowd::create(device, uploaded, options));
  Verifier verifier(device, crowd, character);
  PELT_ASSIGN(const auto at_rest, Poser::create(character, {}));
  PELT_TRY(verifier.move_as_one(at_rest.at(0)));
  PELT_TRY(verifier.compare({at_rest.at(0), 0}));
  for (const Clip& clip : character->clips) {
    PELT_ASSIGN(const auto poser, Poser::create(character, {.clip = clip.name}));
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
    PELT_ASSIGN(auto verified, verify(device, loaded.bound.character, fmt::format("{} by {}", model, deformer),
                                      is_linear ? &loaded.model : nullptr));
    all.push_back(std::move(verified));
  }
  return all;
}

nlohmann::ordered_json describe(const std::vector<Verified>& all) {
  nlohmann::ordered_json characters = nlohmann::json::array();
  for (const Verified& verified : all) {
    nlohmann::ordered_json checks = nlohmann::json::array();
    for (const Check& check : verified.checks) {
      checks.push_back({{"what", check.what},
                        {"compared", check.count},
                        {"difference", std::isfinite(check.difference) ? nlohmann::ordered_json(check.difference)
                                                                       : nlohmann::ordered_json()},
                        {"allowed", check.allowed},
                        {"passed", check.passed()}});
    }
    characters.push_back({{"character", verified.character}, {"checks", std::move(checks)}});
  }
  return characters;
}

VerifyReport report_of(const std::vector<Verified>& all) {
  VerifyReport report;
  for (const Verified& verified : all) {
    Table table({{"what", false}, {"compared"}, {"differs by"}, {"allowed"}, {"", false}});
    for (const Check& check : verified.checks) {
      table.add({check.what, fmt::to_string(check.count), fmt::format("{:.1e}", check.difference),
                 fmt::format("{:.0e}", check.allowed), check.passed() ? "ok" : "WRONG"});
      report.wrong += check.passed() ? 0 : 1;
    }
    report.count += verified.checks.size();
    report.text += fmt::format("\n{}\n{}", verified.character, table.text());
  }
  report.text += fmt::format("\n{} of {} agree\n", report.count - report.wrong, report.count);
  return report;
}

}  // namespace

Result<VerifyReport> verify(const runtime::Device& device) {
  PELT_ASSIGN(const auto all, verify_built_in(device));
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
      PELT_ASSIGN(auto verified, within(file, verify(device, character, file, nullptr)));
      all.push_back(std::move(verified));
    }
    return {};
  }));
  const VerifyReport report = report_of(all);
  if (command.json) {
    const nlohmann::ordered_json document{{"device", description.name},
                                          {"driver", description.driver},
                                          {"characters", describe(all)},
                                          {"wrong", report.wrong}};
    fmt::print("{}\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}, {}: GPU against CPU. docs/cli.md says what is compared.\n", description.name, description.driver);
    fmt::print("{}", report.text);
  }
  if (report.wrong == 0) return {};
  return fail(ErrorCode::kDeviceFailed, fmt::format("{}: {} of {} comparisons are off by more than is allowed",
                                                    description.name, report.wrong, report.count));
}

}  // namespace pelt::samples
