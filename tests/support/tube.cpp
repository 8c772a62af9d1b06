// SPDX-License-Identifier: MIT
#include "tests/support/tube.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <random>

#include <pelt/pose.h>

namespace pelt::test {
namespace {

float joint_x(const TubeOptions& options, std::uint32_t joint) {
  return options.length * static_cast<float>(joint) / static_cast<float>(options.joints);
}

// Appends the weights of a point, which depend only on its x: 1 on a joint's own stretch, linear over blend_length
// round each inner joint.
void append_weights(SparseRows& weights, const TubeOptions& options, float x) {
  std::vector<WeightedElement> row;
  double above = 1;  // share of the joints from `joint` on
  for (std::uint32_t joint = 0; joint < options.joints; ++joint) {
    const double next =
        joint + 1 == options.joints
            ? 0.0
            : std::clamp(0.5 + (x - joint_x(options, joint + 1)) / static_cast<double>(options.blend_length), 0.0, 1.0);
    row.push_back({joint, std::max(0.0, above - next)});
    above = next;
  }
  append_row(weights, row);
}

Model make_chain(const TubeOptions& options) {
  Model model;
  for (std::uint32_t joint = 0; joint < options.joints; ++joint) {
    Joint added;
    added.name = "joint" + std::to_string(joint);
    added.parent = static_cast<std::int32_t>(joint) - 1;
    added.rest.translation.x = joint == 0 ? 0 : joint_x(options, 1);
    model.skeleton.joints.push_back(added);
    model.bound_joints.push_back({joint, glm::translate(glm::mat4(1), glm::vec3(-joint_x(options, joint), 0, 0))});
  }
  return model;
}

}  // namespace

Mesh make_tube_mesh(const TubeOptions& options) {
  Mesh mesh;
  mesh.name = "tube";
  for (std::uint32_t ring = 0; ring <= options.along; ++ring) {
    const float x = options.length * static_cast<float>(ring) / static_cast<float>(options.along);
    for (std::uint32_t k = 0; k < options.around; ++k) {
      const float angle = glm::two_pi<float>() * static_cast<float>(k) / static_cast<float>(options.around);
      const glm::vec3 normal(0, std::cos(angle), std::sin(angle));
      mesh.positions.push_back(normal * options.radius + glm::vec3(x, 0, 0));
      mesh.normals.push_back(normal);
      append_weights(mesh.weights, options, x);
      if (ring == options.along) continue;
      const std::uint32_t a = ring * options.around + k;
      const std::uint32_t b = ring * options.around + (k + 1) % options.around;
      mesh.triangles.emplace_back(a, b, b + options.around);
      mesh.triangles.emplace_back(a, b + options.around, a + options.around);
    }
  }
  mesh.parts = {{0, static_cast<std::uint32_t>(mesh.triangles.size()), -1}};
  return mesh;
}

Model make_tube(const TubeOptions& options) {
  Model model = make_chain(options);
  model.name = "tube";
  model.meshes.push_back(make_tube_mesh(options));
  return model;
}

Mesh make_grid(std::uint32_t n) {
  Mesh mesh;
  for (std::uint32_t y = 0; y <= n; ++y) {
    for (std::uint32_t x = 0; x <= n; ++x) mesh.positions.emplace_back(x, y, 0);
  }
  for (std::uint32_t y = 0; y < n; ++y) {
    for (std::uint32_t x = 0; x < n; ++x) {
      const std::uint32_t a = y * (n + 1) + x;
      mesh.triangles.emplace_back(a, a + 1, a + n + 2);
      mesh.triangles.emplace_back(a, a + n + 2, a + n + 1);
    }
  }
  return mesh;
}

SparseRows rows_on(std::uint32_t joint, std::size_t count) {
  SparseRows rows;
  for (std::size_t row = 0; row < count; ++row) rows.append_row(std::vector<Influence>{{joint, 1.0f}});
  return rows;
}

Mesh split(const Mesh& mesh) {
  Mesh soup{.name = mesh.name};
  for (const MorphTarget& target : mesh.morph_targets) soup.morph_targets.push_back({target.name, {}, target.weight});
  for (const glm::uvec3 t : mesh.triangles) {
    const auto first = static_cast<std::uint32_t>(soup.positions.size());
    soup.triangles.emplace_back(first, first + 1, first + 2);
    for (int corner = 0; corner < 3; ++corner) {
      soup.positions.push_back(mesh.positions[t[corner]]);
      soup.normals.push_back(mesh.normals[t[corner]]);
      soup.weights.append_row(mesh.weights.row(t[corner]));
      for (std::size_t m = 0; m < soup.morph_targets.size(); ++m) {
        soup.morph_targets[m].offsets.push_back(mesh.morph_targets[m].offsets[t[corner]]);
      }
    }
  }
  soup.parts = {{.triangle_count = static_cast<std::uint32_t>(soup.triangles.size())}};
  return soup;
}

Model make_cloud(std::size_t count) {
  const TubeOptions options;
  Model model = make_chain(options);
  model.name = "cloud";
  Mesh mesh;
  mesh.name = "cloud";
  std::mt19937 random(11);
  std::uniform_real_distribution<float> unit(-1, 1);
  for (std::size_t i = 0; i < count; ++i) {
    const glm::vec3 point(options.length * (0.5f + 0.5f * unit(random)), unit(random), unit(random));
    mesh.positions.push_back(point);
    mesh.normals.push_back(glm::normalize(glm::vec3(unit(random), unit(random), 1.5f)));
    append_weights(mesh.weights, options, point.x);
  }
  model.meshes.push_back(std::move(mesh));
  return model;
}

glm::mat4 turn_about(glm::vec3 place, float degrees, glm::vec3 axis) {
  const glm::mat4 there = glm::translate(glm::mat4(1), place);
  return there * glm::rotate(glm::mat4(1), glm::radians(degrees), glm::normalize(axis)) * glm::inverse(there);
}

std::vector<glm::mat4> bind_matrices(const Model& model) {
  std::vector<glm::mat4> matrices(model.skeleton.joints.size());
  rest_matrices(model.skeleton, matrices);
  return matrices;
}

}  // namespace pelt::test
