// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <glm/gtc/matrix_transform.hpp>
#include <iterator>
#include <span>
#include <system_error>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/evaluate.h>
#include <pelt/pose.h>
#include <pelt/rig.h>
#include <pelt/rig_json.h>
#include <pelt/tools/parallel.h>
#include <pelt/try.h>

#include "samples/pelt/commands.h"
#include "samples/pelt/mesh_file.h"
#include "samples/pelt/quality/measure.h"

namespace pelt::samples {
namespace {

struct Motion {
  const char* name;
  glm::dvec3 axis;  // the joint turns about it
  int degrees;
};
constexpr glm::dvec3 kAlong(1, 0, 0);
constexpr glm::dvec3 kAcross(0, 0, 1);
constexpr glm::dvec3 kOutward(0, -1, 0);  // of the bends
constexpr Motion kMotions[] = {{"bend", kAcross, 45},  {"bend", kAcross, 90},  {"bend", kAcross, 120},
                               {"bend", kAcross, 135}, {"bend", kAcross, 150}, {"twist", kAlong, 90},
                               {"twist", kAlong, 180}, {"twist", kAlong, 270}, {"twist", kAlong, 450}};

bool is_twist(const Motion& motion) { return motion.axis == kAlong; }

struct Candidate {
  Rig rig;
  std::string source;  // for errors: the rig file, or the deformer
};

// Makes the prefix of file names from a rig's name: "my rig" -> "my_rig".
std::string file_stem(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  }
  return name;
}

// Returns the requested deformers, each over the whole limb, then the user's rig.
Result<std::vector<Candidate>> candidates_of(const QualityCommand& command) {
  std::vector<std::string> names = command.deformers;
  if (names.empty()) {
    for (const std::string_view name : deformer_names()) names.emplace_back(name);
  }
  std::vector<Candidate> candidates;
  for (const std::string& name : names) {
    PELT_ASSIGN(auto rig, rig_from_deformer_name(name));
    rig.check = CheckMode::kNone;  // only the deformer is measured
    candidates.push_back({std::move(rig), name});
  }
  if (command.rig.empty()) return candidates;
  PELT_ASSIGN(auto rig, load_rig(command.rig));
  if (command.files == NamedFiles::kAnywhere) rig.files = command.files;
  if (rig.name.empty()) rig.name = std::filesystem::path(command.rig).stem().string();
  if (std::ranges::any_of(candidates,
                          [&](const Candidate& other) { return file_stem(other.rig.name) == file_stem(rig.name); })) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: the rig's name, '{}', is also that of a measured deformer", command.rig, rig.name));
  }
  candidates.push_back({std::move(rig), command.rig});
  return candidates;
}

// Returns the positions as a reader of the OBJ files gets them in double precision: OBJ files hold the shortest decimal
// that gives each float back, which as a double differs a little from the float. The figures then match the files, even
// for triangles that almost touch.
std::vector<glm::dvec3> as_written(std::span<const glm::vec3> positions) {
  std::vector<glm::dvec3> written(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (glm::length_t c = 0; c < 3; ++c) {
      std::array<char, 32> text;
      const char* end = std::to_chars(text.data(), text.data() + text.size(), positions[i][c]).ptr;
      std::from_chars(text.data(), end, written[i][c]);
    }
  }
  return written;
}

LimbOptions shape_of(const QualityCommand& command, double radius) {
  LimbOptions shape;
  shape.radius = static_cast<float>(radius);
  shape.blend_length = command.blend_length * shape.radius;
  return shape;
}

// Returns the folder for a limb's meshes; empty: do not keep them.
std::filesystem::path folder_of(const QualityCommand& command, double radius) {
  return command.folder.empty() ? std::filesystem::path()
                                : std::filesystem::path(command.folder) / fmt::format("radius_{}", radius);
}

// A limb, its measurements in the rest pose, and the folder for its meshes.
class Measurement {
 public:
  Measurement(const QualityCommand& command, double radius)
      : radius_(radius),
        folder_(folder_of(command, radius)),
        limb_(make_limb(shape_of(command, radius))),
        meter_(as_written(skin().positions), skin().triangles, glm::dvec3(0.0),
               static_cast<double>(shape_of(command, radius).length) * kAlong) {}

  Result<void> write_rest() const {
    std::error_code code;
    if (!folder_.empty()) std::filesystem::create_directories(folder_, code);
    if (code) return fail(ErrorCode::kWriteFailed, fmt::format("{}: {}", folder_.string(), code.message()));
    return write("rest.obj", skin().positions, skin().normals);
  }

  // Appends a row for each motion.
  Result<void> measure(const Candidate& candidate, Json& rows) const {
    const std::string& name = candidate.rig.name;
    PELT_ASSIGN(const auto bound, within(candidate.source, bind(limb_, candidate.rig)));
    const Character& character = bound.character;
    // The limb is the only mesh that can be skin, and bind refuses rigs without skin.
    const auto mesh = std::ranges::find_if(character->meshes, [](const CharacterMesh& m) { return !m.control; });
    Evaluator evaluator(character, {.jobs = thread_jobs()});
    const std::optional<std::uint32_t> twist = character->find_control("twist/" + limb_.skeleton.joints.back().name);
    std::vector<glm::vec3> positions(mesh->vertex_count());
    std::vector<glm::vec3> normals(mesh->vertex_count());
    for (const Motion& motion : kMotions) {
      evaluator.pose(joints_of(motion));
      if (twist) evaluator.control(*twist, is_twist(motion) ? glm::radians(static_cast<float>(motion.degrees)) : 0.0f);
      evaluator.evaluate();
      to_source_order<glm::vec3>(*mesh, evaluator.positions(), positions);
      to_source_order<glm::vec3>(*mesh, evaluator.normals(), normals);
      const Quality q =
          meter_.measure(as_written(positions), is_twist(motion) ? std::nullopt : std::optional(kOutward));
      // Without a twist control the deformer only gets the joint's matrix, which has no full turns.
      const int given = twist ? motion.degrees : static_cast<int>(std::remainder(motion.degrees, 360));
      rows.push_back({{"radius", radius_},
                      {"deformer", name},
                      {"motion", motion.name},
                      {"degrees", motion.degrees},
                      {"given", given},
                      {"volume", q.volume},
                      {"r_min", q.r_min},
                      {"flipped", q.flipped},
                      {"crease", q.crease},
                      {"crease99", q.crease99},
                      {"crease_out", q.crease_out ? Json(*q.crease_out) : Json()}});
      PELT_TRY(write(fmt::format("{}_{}_{}.obj", file_stem(name), motion.name, motion.degrees), positions, normals));
    }
    return {};
  }

 private:
  const Mesh& skin() const { return limb_.meshes.front(); }

  std::vector<glm::mat4> joints_of(const Motion& motion) const {
    std::vector<glm::mat4> joints(limb_.skeleton.joints.size());
    rest_matrices(limb_.skeleton, joints);
    const glm::dmat4 turn =
        glm::rotate(glm::dmat4(1.0), glm::radians(static_cast<double>(motion.degrees)), motion.axis);
    joints.back() *= glm::mat4(turn);
    return joints;
  }

  Result<void> write(const std::string& name, const std::vector<glm::vec3>& positions,
                     const std::vector<glm::vec3>& normals) const {
    if (folder_.empty()) return {};
    const PosedMesh mesh{.name = skin().name,
                         .positions = positions,
                         .normals = normals,
                         .uvs = skin().uvs,
                         .triangles = skin().triangles,
                         .parts = skin().parts};
    return write_obj(folder_ / name, {&mesh, 1});
  }

  double radius_;
  std::filesystem::path folder_;
  Model limb_;
  QualityMeter meter_;
};

void print_text(const QualityCommand& command, const Json& rows) {
  fmt::print("Limbs against their rest, weights over {} radii. docs/quality.md explains the columns.\n",
             command.blend_length);
  for (const double radius : command.radii) {
    Json of_limb = Json::array();
    for (const Json& row : rows) {
      if (row["radius"] != radius) continue;
      of_limb.push_back(row);
      of_limb.back()["deformer"] = typed_if_deformer(row["deformer"]);
    }
    fmt::print("\nradius {}, length {}\n{}", radius, LimbOptions{}.length,
               table_of(of_limb, {{"deformer", "deformer"},
                                  {"motion", "motion"},
                                  {"degrees", "degrees", "{}"},
                                  {"given", "given", "{}"},
                                  {"volume", "volume", "{:.3f}"},
                                  {"r_min", "r_min", "{:.3f}"},
                                  {"flipped", "flipped", "{}"},
                                  {"crease", "crease", "{:.1f}"},
                                  {"crease99", "crease99", "{:.1f}"},
                                  {"crease_out", "crease_out", "{:.1f}"}}));
    if (command.folder.empty()) continue;
    fmt::print("wrote {}: rest.obj and {} deformed meshes\n", folder_of(command, radius).string(), of_limb.size());
  }
}

}  // namespace

Result<void> run(const QualityCommand& command) {
  PELT_ASSIGN(const auto candidates, candidates_of(command));
  Json rows = Json::array();
  for (const double radius : command.radii) {
    const Measurement measurement(command, radius);
    PELT_TRY(measurement.write_rest());
    for (const Candidate& candidate : candidates) {
      PELT_TRY(measurement.measure(candidate, rows));
    }
  }
  command.json ? print_json(rows) : print_text(command, rows);
  return {};
}

}  // namespace pelt::samples
