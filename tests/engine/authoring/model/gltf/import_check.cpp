// SPDX-License-Identifier: MIT
// Imports a file, checks the whole result, and reports it by exit status, for tests that watch from outside.
//
//   pelt_import_check FILE             Exit status 0: the model is sound. 2: refused with a reason. 3: neither.
//   pelt_import_check --mutate FILE    Imports FILE, a .gltf, again and again with one value of its JSON replaced by a
//                                      hostile one; an .obj, with one byte of it, or of the .mtl of its name, replaced,
//                                      doubled or left out. Exit status 0: all were sound or refused. 3: one was not.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <pelt/import.h>
#include <pelt/pose.h>

namespace {

using namespace pelt;

bool all_finite(const float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) return false;
  }
  return true;
}

template <class T>
bool all_finite(const std::vector<T>& values) {
  return all_finite(reinterpret_cast<const float*>(values.data()), values.size() * sizeof(T) / sizeof(float));
}

std::string find_flaw(const Mesh& mesh, const Model& model) {
  const std::size_t vertices = mesh.positions.size();
  if (vertices == 0) return "is empty";
  if (!all_finite(mesh.positions) || !all_finite(mesh.normals) || !all_finite(mesh.tangents) || !all_finite(mesh.uvs)) {
    return "is not finite";
  }
  if (mesh.normals.size() != vertices) return "has too few normals";
  if (!mesh.tangents.empty() && mesh.tangents.size() != vertices) return "has too few tangents";
  if (!mesh.uvs.empty() && mesh.uvs.size() != vertices) return "has too few texture coordinates";
  for (const glm::vec3& normal : mesh.normals) {
    if (std::abs(glm::length(normal) - 1) > 1e-3f) return "has a normal that is not unit";
  }
  for (const glm::vec4& tangent : mesh.tangents) {
    if (std::abs(glm::length(glm::vec3(tangent)) - 1) > 1e-3f) return "has a tangent that is not unit";
  }
  for (const glm::uvec3& triangle : mesh.triangles) {
    if (triangle.x >= vertices || triangle.y >= vertices || triangle.z >= vertices) return "has a triangle too far";
  }
  for (const MorphTarget& target : mesh.morph_targets) {
    if (target.offsets.size() != vertices) return "has a morph target of too few offsets";
    if (!all_finite(target.normals) || !all_finite(target.tangents) || !all_finite(target.offsets) ||
        !std::isfinite(target.weight))
      return "has a morph target that is not finite";
  }
  for (const VertexAttribute& attribute : mesh.attributes) {
    if (attribute.values.size() != vertices) return "has an attribute of too few values";
    if (!all_finite(attribute.values)) return "has an attribute that is not finite";
  }
  std::size_t covered = 0;
  for (const MeshPart& part : mesh.parts) {
    if (part.first_triangle != covered) return "has parts with gaps";
    if (part.material >= static_cast<std::int32_t>(model.materials.size())) return "has a material too far";
    covered += part.triangle_count;
  }
  if (covered != mesh.triangles.size()) return "has parts that do not cover it";
  if (model.bound_joints.empty()) return {};
  if (mesh.weights.row_count() != vertices) return "has too few rows of weights";
  const auto valid = validate(mesh.weights, model.bound_joints.size(), "weights");
  return valid ? std::string() : valid.error().message;
}

std::string find_flaw(const Model& model) {
  std::vector<glm::mat4> matrices(model.skeleton.joints.size());
  std::vector<Transform> local(model.skeleton.joints.size());
  for (std::size_t j = 0; j < model.skeleton.joints.size(); ++j) {
    if (model.skeleton.joints[j].parent >= static_cast<std::int32_t>(j)) return "a joint comes before its parent";
  }
  rest_matrices(model.skeleton, matrices);
  if (!all_finite(matrices)) return "rest matrices are not finite";
  for (const BoundJoint& bound : model.bound_joints) {
    if (bound.joint >= matrices.size()) return "a bound joint is too far";
    if (!all_finite(&bound.inverse_bind[0][0], 16)) return "an inverse bind matrix is not finite";
  }
  for (const Mesh& mesh : model.meshes) {
    if (const std::string flaw = find_flaw(mesh, model); !flaw.empty()) return "mesh '" + mesh.name + "' " + flaw;
  }
  for (const MeshLevel& level : model.levels) {
    if (level.of >= model.meshes.size()) return "a level is of no mesh";
    if (level.level == 0) return "level 0 is no coarser mesh";
    if (const std::string flaw = find_flaw(level.mesh, model); !flaw.empty())
      return "level '" + level.mesh.name + "' " + flaw;
  }
  for (const HumanBone& bone : model.skeleton.human_bones) {
    if (bone.joint >= matrices.size()) return "a human bone is no joint";
  }
  for (const Expression& expression : model.expressions) {
    for (const ExpressionTarget& target : expression.targets) {
      const Mesh* mesh = model.find_mesh(target.mesh);
      if (mesh == nullptr || target.target >= mesh->morph_targets.size()) return "an expression of no morph target";
      if (!(target.weight >= 0 && target.weight <= 1)) return "an expression's weight is not between 0 and 1";
    }
  }
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
    if (!all_finite(&material.base_color[0], 4)) return "a material is not finite";
    if (material.base_color_image >= static_cast<std::int32_t>(model.images.size())) return "an image is too far";
  }
  return model.meshes.empty() ? "there is no mesh" : "";
}

constexpr int kSound = 0;
constexpr int kRefused = 2;
constexpr int kBroken = 3;

Result<Model> import_file(const std::filesystem::path& path) {
  return path.extension() == ".obj" ? import_obj(path) : import_gltf(path);
}

int check(const std::filesystem::path& path) {
  const Result<Model> model = import_file(path);
  if (!model) {
    std::printf("%s\n", model.error().message.c_str());
    const bool names_file = model.error().message.find(path.filename().string()) != std::string::npos;
    return names_file ? kRefused : kBroken;
  }
  if (const std::string flaw = find_flaw(*model); !flaw.empty()) {
    std::printf("%s: imported, but %s\n", path.c_str(), flaw.c_str());
    return kBroken;
  }
  std::size_t vertices = 0;
  std::size_t triangles = 0;
  for (const Mesh& mesh : model->meshes) {
    vertices += mesh.positions.size();
    triangles += mesh.triangles.size();
  }
  std::printf("%s: %zu joints, %zu bound, %zu meshes, %zu vertices, %zu triangles, %zu clips\n", path.c_str(),
              model->skeleton.joints.size(), model->bound_joints.size(), model->meshes.size(), vertices, triangles,
              model->clips.size());
  for (const std::string& note : model->report.notes) std::printf("  %s\n", note.c_str());
  return kSound;
}

// Files in a folder of their own, each of which is imported once.
class Mutants {
 public:
  Mutants(const std::filesystem::path& original, const std::string& name) : original_(original), name_(name) {
    std::filesystem::create_directory(folder_);
  }
  ~Mutants() {
    std::filesystem::remove_all(folder_);
    std::printf("%s: %zu mutants sound, %zu refused\n", original_.c_str(), sound_, refused_);
  }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

  // Returns false if the mutant is neither sound nor refused by a message that names one of its files.
  bool check(const std::string& change) {
    const Result<Model> model = import_file(folder_ / name_);
    ++(model ? sound_ : refused_);
    const std::string flaw = model ? find_flaw(*model)
                             : model.error().message.find(folder_.string()) == std::string::npos
                                 ? "names no file: " + model.error().message
                                 : "";
    if (!flaw.empty()) std::printf("%s: %s: %s\n", original_.c_str(), change.c_str(), flaw.c_str());
    return flaw.empty();
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("pelt_import_check_" + std::to_string(::getpid()));
  std::filesystem::path original_;
  std::string name_;
  std::size_t sound_ = 0;
  std::size_t refused_ = 0;
};

// Replaces every value of the document, arrays and objects too, by each of these in turn.
int check_mutations(const std::filesystem::path& path) {
  using nlohmann::json;
  const json hostile = {nullptr,
                        true,
                        "",
                        "a",
                        -1,
                        0,
                        1,
                        3,
                        7,
                        255,
                        65536,
                        2147483647,
                        4294967296,
                        18446744073709551615u,
                        -9223372036854775807,
                        0.5,
                        1e-30,
                        1e30,
                        1e300,
                        json::array(),
                        json::object(),
                        json::array({0}),
                        json::array({json::object()})};
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
  Mutants mutants(path, "mutant.gltf");
  for (const json::json_pointer& place : places) {
    for (std::size_t h = 0; h <= hostile.size(); ++h) {
      json document = original;
      if (h < hostile.size()) {
        document[place] = hostile[h];
      } else if (!place.empty()) {
        json& parent = document[place.parent_pointer()];
        parent.is_array() ? parent.erase(std::stoul(place.back())) : (void)parent.erase(place.back());
      }
      mutants.write("mutant.gltf", document.dump());
      if (!mutants.check(place.to_string() + " = " + (h < hostile.size() ? hostile[h].dump() : "nothing")))
        return kBroken;
    }
  }
  return kSound;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Replaces every byte of the file and of its materials by each of these texts in turn.
int check_text_mutations(const std::filesystem::path& path) {
  using namespace std::string_literals;
  const std::vector<std::string> hostile{"",  "\0"s, "\n", "\r",  " ",    "/",    "//",
                                         "-", "+",   ".",  "0",   "99",   "e9",   "#",
                                         "f", "v",   "n",  "../", "\xff", "nan ", "newmtl a\nd 2",
                                         "\\"};
  const std::string name = path.filename().string();
  const std::string library = path.stem().string() + ".mtl";
  Mutants mutants(path, name);
  for (const std::string& mutated : {name, library}) {
    const std::string original = read_text(path.parent_path() / mutated);
    mutants.write(name, read_text(path));
    mutants.write(library, read_text(path.parent_path() / library));
    for (std::size_t at = 0; at <= original.size(); ++at) {
      for (std::size_t h = 0; h <= hostile.size(); ++h) {
        std::string text = original.substr(0, at);
        if (h < hostile.size()) text += hostile[h] + original.substr(std::min(at + 1, original.size()));
        mutants.write(mutated, text);
        if (!mutants.check(mutated + " with change " + std::to_string(h) + " at byte " + std::to_string(at)))
          return kBroken;
      }
    }
  }
  return kSound;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1) return check(arguments[0]);
  if (arguments.size() == 2 && arguments[0] == "--mutate") {
    return arguments[1].ends_with(".obj") ? check_text_mutations(arguments[1]) : check_mutations(arguments[1]);
  }
  std::fprintf(stderr, "usage: pelt_import_check [--mutate] FILE\n");
  return 1;
}
