// SPDX-License-Identifier: MIT
// The raw character while bind fills it: gives out palette entries, keeps passes and meshes, packs at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/binding/sparse_rows.h"
#include "engine/character/bind.h"
#include "engine/character/character.h"
#include "engine/core/result.h"
#include "engine/model/model.h"

namespace pelt {

// How a deformer moves one mesh, and what it has to say about it. Vertices are the mesh's own.
struct MeshBinding {
  SparseRows rows;  // over palette entries, not yet merged with other layers
  BlendMode mode = BlendMode::kLinear;
  double worst_distance = 0;  // metres from a vertex to the closest point of its driver
  std::uint32_t worst_vertex = 0;
  std::uint64_t dropped_elements = 0;
  std::vector<std::uint32_t> repaired_vertices;  // ascending
};

// Stage 0 poses the joints and moves the control meshes; skins are moved in the last stage, which is stage 0 where
// there is no control mesh.
class CharacterBuilder {
 public:
  // `model` is validated and outlives the builder.
  CharacterBuilder(const Model& model, bool keep_vertex_order);

  // Rows over the model's bound joints -> the same over the palette entries that pose these joints for `mode`,
  // strongest first. All meshes share the entries; the first call adds their pass.
  SparseRows rows_over_joints(const SparseRows& weights, BlendMode mode);

  // Adds a mesh that moves others and is not skin; its rows name entries of rows_over_joints. `deformer` is for the
  // report. Returns its index for the functions below. Vertices keep their order.
  Result<std::size_t> add_control_mesh(const Mesh& mesh, MeshBinding binding, const std::string& deformer);

  std::optional<std::size_t> find_control_mesh(const std::string& name) const;

  // First vertex of a control mesh in the instance's vertices.
  std::uint32_t first_vertex(std::size_t control_mesh) const;

  // First of the palette entries that hold the blended frames of a control mesh's vertices; the first call makes them.
  std::uint32_t frame_slots(std::size_t control_mesh);

  // Adds a palette pass over posed control meshes, before the skins are moved. Returns the first entry it writes.
  std::uint32_t add_pass(PoseKernel kernel, std::uint32_t record_count, std::vector<std::uint32_t> records);

  // Gives the rows' memory back as soon as they are packed: move the binding in.
  Result<void> add_skin(const Mesh& mesh, MeshBinding binding, const std::string& deformer);

  // A name that no mesh of the model and no control mesh has: `wish`, or `wish` with a number.
  std::string free_name(const std::string& wish) const;

  // Everything added, validated. The builder is used up.
  Result<Character> build();

  // Of the meshes added so far, in order: a control mesh's index is its place here.
  const std::vector<MeshReport>& reports() const { return reports_; }

 private:
  Result<void> add_mesh(const Mesh& mesh, MeshBinding binding, const std::string& deformer, bool control);
  std::uint32_t take_slots(std::uint64_t count);

  const Model& model_;
  bool keep_vertex_order_;
  CharacterData data_;
  std::uint64_t palette_size_ = 0;  // 64 bits until build() has checked it
  std::map<BlendMode, std::uint32_t> joint_slots_;
  std::vector<MeshReport> reports_;
};

struct DeformerTarget {
  std::uint32_t mesh;           // in Model::meshes
  std::span<const float> mask;  // one value a vertex; where it is 0 the layer's rows are not used, and may be empty
};

// What every deformer's bind is given.
struct DeformerInput {
  const Model& model;
  std::span<const DeformerTarget> targets;
  const std::string& layer;      // "layer 2 (surface_ffd)": how errors and notes begin
  const std::string& directory;  // where the rig's relative file names start
  unsigned threads;
  CharacterBuilder& builder;
  std::vector<std::string>& notes;                       // for the report
  const std::function<void(double fraction)>& progress;  // of this layer; never empty
};

}  // namespace pelt
