// SPDX-License-Identifier: MIT
#include "samples/pelt/quality/quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <glm/gtc/matrix_transform.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>

#include "engine/character/bind.h"
#include "engine/character/evaluate.h"
#include "engine/model/builtin.h"
#include "engine/model/pose.h"
#include "engine/rig/deformers.h"
#include "engine/rig/rig_json.h"
#include "samples/pelt/mesh_file.h"
#include "samples/pelt/quality/measure.h"
#include "samples/pelt/table.h"

namespace pelt::samples {
namespace {

using Json = nlohmann::ordered_json;

struct Motion {
  const char* name;
  glm::dvec3 axis;  // the joint turns about it
  int degrees;
};
constexpr glm::dvec3 kAlong(1, 0, 0);
constexpr glm::dvec3 kAcross(0, 0, 1);
constexpr Motion kMotions[] = {{"bend", kAcross, 45},  {"bend", kAcross, 90},  {"bend", kAcross, 120},
                               {"bend", kAcross, 135}, {"bend", kAcross, 150}, {"twist", kAlong, 90},
                               {"twist", kAlong, 180}, {"twist", kAlong, 270}};

struct Row {
  std::string deformer;
  Motion motion;
  Quality quality;
};

struct Candidate {
  Rig rig;
  std::string source;  // for errors: the rig's file, or the deformer
};

// "my rig" -> "my_rig": what the names of its files start with.
std::string file_stem(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  }
  return name;
}

// The deformers that are asked for, each over the whole limb, then the rig of the user's.
Result<std::vector<Candidate>> candidates_of(const QualityCommand& command) {
  std::vector<std::string> names = command.deformers;
  if (names.empty()) {
    for (const DeformerEntry& entry : deformers()) names.emplace_back(entry.name);
  }
  std::vector<Candidate> candidates;
  for (const std::string& name : names) {
    Result<Rig> rig = rig_from_deformer_name(name);
    if (!rig) return tl::unexpected(rig.error());
    candidates.push_back({std::move(*rig), name});
  }
  if (command.rig.empty()) return candidates;
  Result<Rig> own = load_rig(command.rig);
  if (!own) return tl::unexpected(own.error());
  if (own->name.empty()) own->name = std::filesystem::path(command.rig).stem().string();
  if (std::any_of(candidates.begin(), candidates.end(),
                  [&](const Candidate& other) { return file_stem(other.rig.name) == file_stem(own->name); })) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{}: the rig's name, '{}', is that of a deformer which is measured too", command.rig, own->name));
  }
  candidates.push_back({std::move(*own), command.rig});
  return candidates;
}

// OBJ files hold of each float the shortest decimal that gives it back, which as a double is not quite the float.
// Measured is what a reader in double precision gets: so the files have the same figures to the last crossing of
// triangles that all but touch.
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

LimbOptions shape_of(const QualityCommand& command) {
  LimbOptions shape;
  shape.blend_length = command.blend_length * shape.radius;
  return shape;
}

// The limb, what is known of it at rest, and where its meshes go.
class Measurement {
 public:
  explicit Measurement(const QualityCommand& command)
      : folder_(command.folder),
        limb_(make_limb(shape_of(command))),
        meter_(as_written(skin().positions), skin().triangles, glm::dvec3(0.0),
               static_cast<double>(shape_of(command).length) * kAlong) {}

  Result<void> write_rest() const { return write("rest.obj", skin().positions, skin().normals); }

  // Appends a row for each motion.
  Result<void> measure(const Candidate& candidate, std::vector<Row>& rows) const {
    const std::string& name = candidate.rig.name;
    const Result<Bound> bound = bind(limb_, candidate.rig);
    if (!bound) return fail(bound.error().code, fmt::format("{}: {}", candidate.source, bound.error().message));
    const Character& character = bound->character;
    // The limb is the only mesh that can be skin, and bind refuses a rig that leaves none.
    const auto mesh = std::find_if(character->meshes.begin(), character->meshes.end(),
                                   [](const CharacterMesh& m) { return !m.control; });
    Evaluator evaluator(character);
    std::vector<glm::vec3> positions(mesh->vertex_count());
    std::vector<glm::vec3> normals(mesh->vertex_count());
    for (const Motion& motion : kMotions) {
      evaluator.pose(joints_of(motion));
      evaluator.evaluate();
      to_source_order<glm::vec3>(*mesh, evaluator.positions(), positions);
      to_source_order<glm::vec3>(*mesh, evaluator.normals(), normals);
      rows.push_back({name, motion, meter_.measure(as_written(positions))});
      const Result<void> written =
          write(fmt::format("{}_{}_{}.obj", file_stem(name), motion.name, motion.degrees), positions, normals);
      if (!written) return written;
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

  std::filesystem::path folder_;
  Model limb_;
  QualityMeter meter_;
};

void print_json(const std::vector<Row>& rows) {
  Json json = Json::array();
  for (const auto& [deformer, motion, q] : rows) {
    json.push_back({{"deformer", deformer},
                    {"motion", motion.name},
                    {"degrees", motion.degrees},
                    {"volume", q.volume},
                    {"r_area", q.r_area},
                    {"r_min", q.r_min},
                    {"flipped", q.flipped},
                    {"selfint", q.selfint},
                    {"crease", q.crease},
                    {"crease99", q.crease99}});
  }
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_text(const QualityCommand& command, const std::vector<Row>& rows) {
  fmt::print("builtin:limb, weights over {} radii, against its rest. docs/quality.md says what the columns mean.\n\n",
             command.blend_length);
  Table table({{"deformer", false},
               {"motion", false},
               {"degrees"},
               {"volume"},
               {"r_area"},
               {"r_min"},
               {"flipped"},
               {"selfint"},
               {"crease"},
               {"crease99"}});
  for (const auto& [deformer, motion, q] : rows) {
    table.add({deformer, motion.name, fmt::to_string(motion.degrees), fmt::format("{:.3f}", q.volume),
               fmt::format("{:.3f}", q.r_area), fmt::format("{:.3f}", q.r_min), fmt::to_string(q.flipped),
               fmt::to_string(q.selfint), fmt::format("{:.1f}", q.crease), fmt::format("{:.1f}", q.crease99)});
  }
  fmt::print("{}", table.text());
  if (!command.folder.empty()) fmt::print("\nwrote {}: rest.obj and {} deformed meshes\n", command.folder, rows.size());
}

}  // namespace

Result<void> run(const QualityCommand& command) {
  const Result<std::vector<Candidate>> candidates = candidates_of(command);
  if (!candidates) return tl::unexpected(candidates.error());
  if (!command.folder.empty()) {
    std::error_code code;
    std::filesystem::create_directories(command.folder, code);
    if (code) return fail(ErrorCode::kWriteFailed, fmt::format("{}: {}", command.folder, code.message()));
  }
  const Measurement measurement(command);
  const Result<void> written = measurement.write_rest();
  if (!written) return written;
  std::vector<Row> rows;
  for (const Candidate& candidate : *candidates) {
    const Result<void> measured = measurement.measure(candidate, rows);
    if (!measured) return measured;
  }
  if (command.json) {
    print_json(rows);
  } else {
    print_text(command, rows);
  }
  return {};
}

}  // namespace pelt::samples
