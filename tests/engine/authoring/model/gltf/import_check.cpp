// SPDX-License-Identifier: MIT
// Imports a file, checks the whole result, and reports it by exit status, for tests that watch from outside.
//
//   pelt_import_check FILE             Exit status 0: the model is sound. 2: refused with a reason. 3: neither.
//   pelt_import_check --mutate FILE    Imports FILE, a .gltf, again and again with one value of its JSON replaced by a
//                                      hostile one. Exit status 0: all were sound or refused. 3: one was not.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/finite.h>
#include <pelt/import.h>
#include <pelt/pose.h>

#include "engine/authoring/bind/check_model.h"

namespace {

using namespace pelt;

template <class T>
bool all_finite(const std::vector<T>& values) {
  const std::span numbers(reinterpret_cast<const float*>(values.data()), values.size() * sizeof(T) / sizeof(float));
  return std::ranges::all_of(numbers, [](float value) { return std::isfinite(value); });
}

bool are_unit(const auto& directions) {
  return std::ranges::all_of(directions,
                             [](const auto& d) { return std::abs(glm::length(glm::vec3(d)) - 1) <= 1e-3f; });
}

// Returns the defects of a mesh that bind does not refuse.
std::string find_flaw(const Mesh& mesh, const Model& model) {
  const std::size_t vertices = mesh.positions.size();
  if (vertices == 0) return "is empty";
  if (mesh.normals.size() != vertices) return "has too few normals";
  if (!are_unit(mesh.normals)) return "has a normal that is not unit";
  if (!are_unit(mesh.tangents)) return "has a tangent that is not unit";
  if (!model.bound_joints.empty() && mesh.weights.row_count() != vertices) return "has too few rows of weights";
  std::size_t covered = 0;
  for (const MeshPart& part : mesh.parts) {
    if (part.first_triangle != covered) return "has parts with gaps";
    if (part.material >= static_cast<std::int32_t>(model.materials.size())) return "has a material too far";
    covered += part.triangle_count;
  }
  return covered == mesh.triangles.size() ? "" : "has parts that do not cover it";
}

std::string find_flaw(const Model& model) {
  if (const auto checked = check_model(model); !checked) return checked.error().message;
  std::vector<glm::mat4> matrices(model.skeleton.joints.size());
  rest_matrices(model.skeleton, matrices);
  if (!all_finite(matrices)) return "rest matrices are not finite";
  for (const Mesh& mesh : model.meshes) {
    if (const std::string flaw = find_flaw(mesh, model); !flaw.empty()) return "mesh '" + mesh.name + "' " + flaw;
  }
  for (const MeshLevel& level : model.levels) {
    const std::string flaw = find_flaw(level.mesh, model);
    if (!flaw.empty()) return "level '" + level.mesh.name + "' " + flaw;
  }
  for (const Expression& expression : model.expressions) {
    for (const ExpressionTarget& target : expression.targets) {
      if (!(target.weight >= 0 && target.weight <= 1)) return "an expression's weight is not between 0 and 1";
    }
  }
  std::vector<Transform> local(model.skeleton.joints.size());
  for (const Clip& clip : model.clips) {
    for (const float share : {0.0f, 0.3f, 1.0f}) {
      rest_pose(model.skeleton, local);
      sample_clip(clip, share * clip.duration, local);
      if (!all_finite(local)) return "clip '" + clip.name + "' is not finite";
      for (const MorphChannel& channel : clip.morph_channels) {
        const Mesh* mesh = model.find_mesh(channel.mesh);
        if (mesh == nullptr || channel.target >= mesh->morph_targets.size()) return "a channel of no morph target";
        if (!std::isfinite(sample(channel, share * clip.duration))) return "clip '" + clip.name + "' is not finite";
      }
    }
  }
  for (const Material& material : model.materials) {
    if (!is_finite(material.base_color)) return "a material is not finite";
    if (material.base_color_image >= static_cast<std::int32_t>(model.images.size())) return "an image is too far";
  }
  return model.meshes.empty() ? "there is no mesh" : "";
}

constexpr int kSound = 0;
constexpr int kRefused = 2;
constexpr int kBroken = 3;

int check(const std::filesystem::path& path) {
  const Result<Model> model = path.extension() == ".obj" ? import_obj(path) : import_gltf(path);
  if (!model) {
    std::printf("%s\n", model.error().message.c_str());
    const bool names_file = model.error().message.find(path.filename().string()) != std::string::npos;
    return names_file ? kRefused : kBroken;
  }
  if (const std::string flaw = find_flaw(*model); !flaw.empty()) {
    std::printf("%s: imported, but %s\n", path.c_str(), flaw.c_str());
    return kBroken;
  }
  std::printf("%s: %zu meshes\n", path.c_str(), model->meshes.size());
  for (const std::string& note : model->report.notes) std::printf("  %s\n", note.c_str());
  return kSound;
}

// Replaces every value of the document, arrays and objects too, by each of these in turn.
int check_mutations(const std::filesystem::path& path) {
  using nlohmann::json;
  const json hostile = json::parse(R"([null, true, "", "a", -1, 0, 1, 3, 7, 255, 65536, 2147483647, 4294967296,
                                       18446744073709551615, -9223372036854775807, 0.5, 1e-30, 1e30, 1e300, [], {},
                                       [0], [{}]])");
  std::ifstream stream(path);
  const json original = json::parse(stream);
  std::vector<json::json_pointer> places;
  for (std::vector<json::json_pointer> pending{json::json_pointer()}; !pending.empty();) {
    const json::json_pointer at = pending.back();
    pending.pop_back();
    places.push_back(at);
    const json& value = original[at];
    if (!value.is_structured()) continue;
    for (const auto& [key, member] : value.items()) {
      pending.push_back(value.is_array() ? at / std::stoul(key) : at / key);
    }
  }
  std::size_t sound = 0;
  std::size_t refused = 0;
  for (const json::json_pointer& place : places) {
    for (std::size_t h = 0; h <= hostile.size(); ++h) {
      json document = original;
      if (h < hostile.size()) {
        document[place] = hostile[h];
      } else if (!place.empty()) {
        json& parent = document[place.parent_pointer()];
        parent.is_array() ? parent.erase(std::stoul(place.back())) : (void)parent.erase(place.back());
      }
      const std::string text = document.dump();
      const Result<Model> model = import_gltf(std::as_bytes(std::span(text)), "mutant.gltf");
      ++(model ? sound : refused);
      std::string flaw;
      if (model) {
        flaw = find_flaw(*model);
      } else if (model.error().message.find("mutant.gltf") == std::string::npos) {
        flaw = "names no file: " + model.error().message;
      }
      if (flaw.empty()) continue;
      const std::string value = h < hostile.size() ? hostile[h].dump() : "nothing";
      std::printf("%s: %s = %s: %s\n", path.c_str(), place.to_string().c_str(), value.c_str(), flaw.c_str());
      return kBroken;
    }
  }
  std::printf("%s: %zu mutants sound, %zu refused\n", path.c_str(), sound, refused);
  return kSound;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1) return check(arguments[0]);
  if (arguments.size() == 2 && arguments[0] == "--mutate") {
    return check_mutations(arguments[1]);
  }
  std::fprintf(stderr, "usage: pelt_import_check [--mutate] FILE\n");
  return 1;
}
