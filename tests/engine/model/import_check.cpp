// SPDX-License-Identifier: MIT
// pelt_import_check FILE: imports one file and looks at all that came out, for tests that watch it from outside.
// Exit status: 0 where the model is sound, 2 where it was refused with a reason, 3 where the importer broke its word.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "engine/model/import.h"
#include "engine/model/pose.h"

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
  if (vertices == 0 || mesh.triangles.empty()) return "is empty";
  if (!all_finite(mesh.positions) || !all_finite(mesh.normals) || !all_finite(mesh.tangents) || !all_finite(mesh.uvs)) {
    return "is not finite";
  }
  if (mesh.normals.size() != vertices) return "has too few normals";
  if (!mesh.tangents.empty() && mesh.tangents.size() != vertices) return "has too few tangents";
  if (!mesh.uvs.empty() && mesh.uvs.size() != vertices) return "has too few texture coordinates";
  for (const glm::vec3& normal : mesh.normals) {
    if (std::abs(glm::length(normal) - 1) > 1e-3f) return "has a normal that is not unit";
  }
  for (const glm::uvec3& triangle : mesh.triangles) {
    if (triangle.x >= vertices || triangle.y >= vertices || triangle.z >= vertices) return "has a triangle too far";
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
  for (const Clip& clip : model.clips) {
    for (const float share : {0.0f, 0.3f, 1.0f}) {
      rest_pose(model.skeleton, local);
      sample_clip(clip, share * clip.duration, local);
      if (!all_finite(local)) return "clip '" + clip.name + "' is not finite";
    }
  }
  return model.meshes.empty() ? "there is no mesh" : "";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: pelt_import_check FILE\n");
    return 1;
  }
  const std::string path = argv[1];
  const Result<Model> model = path.ends_with(".obj") ? import_obj(path) : import_gltf(path);
  if (!model) {
    std::printf("%s\n", model.error().message.c_str());
    return 2;
  }
  if (const std::string flaw = find_flaw(*model); !flaw.empty()) {
    std::printf("%s: imported, but %s\n", path.c_str(), flaw.c_str());
    return 3;
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
  return 0;
}
