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

#include <pelt/bind_report.h>
#include <pelt/character.h>
#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/rig.h>
#include <pelt/sparse_rows.h>

#include "engine/character/driver_offsets.h"

namespace pelt {

// v' = sum over groups g: share_g * sum over j of w_gj T_gj l_g, `rows` of the binding the group whose local point is
// the rest position and whose share is what these leave. Gradients are of share_g w_gj, and sum to 0 over all groups.
struct OffsetGroup {
  SparseRows rows;               // over palette entries; weights sum to 1, or no entry where the share is 0
  std::vector<glm::vec4> local;  // of each vertex: l, share; two groups with shares of both signs are negative weights
};

// How a deformer moves one mesh, and what it has to say about it. Vertices are the mesh's own.
struct MeshBinding {
  SparseRows rows;  // over palette entries, not yet merged with other layers
  BlendMode mode = BlendMode::kLinear;
  // Of each vertex, or empty: metres to the closest element that moves it, -1 where none does.
  std::vector<float> distances;
  std::vector<VertexRemarks> remarks;
  std::optional<double> cut_error;  // metres
  std::uint64_t dropped_elements = 0;
  std::vector<std::uint32_t> repaired_vertices;  // ascending
  // Further deformers of the mesh, combined with `rows` as in Wires.
  std::vector<SparseRows> wires_rows;
  float wires_exponent = 1;
  // What moves a vertex by another local point than its rest position, beside `rows`. kLinear only.
  std::vector<OffsetGroup> offset_groups;
};

// What a control mesh has beside its binding.
struct ControlOptions {
  std::optional<std::uint32_t> offset_slot;  // CharacterMesh::offset_slot
};

// Stage 0 poses the joints. A control mesh is moved in the first stage in which all that moves it is there, skins in
// the last one, behind every control mesh.
class CharacterBuilder {
 public:
  // `model` is validated and outlives the builder.
  CharacterBuilder(const Model& model, bool keep_vertex_order);

  // Rows over the model's bound joints -> the same over the palette entries that pose these joints for `mode`,
  // strongest first. All meshes share the entries; the first call adds their pass.
  SparseRows rows_over_joints(const SparseRows& weights, BlendMode mode);

  bool has_joints() const { return !data_.skeleton.joints.empty(); }

  // The palette entry with the motion of the skeleton's first root from rest: what moves with the whole character.
  // Precondition: has_joints().
  std::uint32_t root_slot();

  // Adds a mesh that moves others and is not skin. `deformer` is for the report. Returns its index for the functions
  // below. Vertices keep their order.
  Result<std::size_t> add_control_mesh(const Mesh& mesh, MeshBinding binding, const std::string& deformer,
                                       const ControlOptions& options = {});

  // A control mesh whose vertices the caller places, frame by frame.
  Result<std::size_t> add_streamed_mesh(const Mesh& mesh);

  // Moves the vertices of a control mesh after bind (DriverParameters::offsets; move_driver.h). Each mesh once, or
  // again in the same way. Errors: check_driver_offsets'; another way.
  Result<void> move_vertices(std::size_t control_mesh, const std::vector<VertexOffset>& offsets);

  // Notes in the report that a control mesh is the driver of a layer of the rig.
  void note_driver(std::size_t control_mesh, std::uint32_t rig_layer) {
    reports_[control_mesh].drives.push_back(rig_layer);
  }

  // The number of an input that the caller gives, frame by frame: a morph target's weight.
  std::uint32_t control_input(const Mesh& mesh, std::uint32_t target);

  // The same of a joint's twist; all curves that it turns share it.
  std::uint32_t twist_input(std::uint32_t joint);

  std::optional<std::size_t> find_control_mesh(const std::string& name) const;

  // First vertex of a control mesh in the instance's vertices.
  std::uint32_t first_vertex(std::size_t control_mesh) const;

  // The stage in which what reads the posed vertices of a control mesh can run.
  std::uint32_t stage_after(std::size_t control_mesh) const;

  // First of the palette entries that hold the blended frames of a control mesh's vertices; the first call makes them.
  std::uint32_t frame_slots(std::size_t control_mesh);

  // Adds a palette pass. Its records may read what is there in pass.stage. Sets first_slot and returns it.
  std::uint32_t add_pass(PalettePass pass);

  // Gives the rows' memory back as soon as they are packed: move the binding in.
  Result<void> add_skin(const Mesh& mesh, MeshBinding binding, const std::string& deformer);

  // A name that no mesh of the model and no control mesh has: `wish`, or `wish` with a number.
  std::string free_name(const std::string& wish) const;

  // Keeps the text of the rig with the character.
  void set_rig(std::string rig) { data_.rig = std::move(rig); }

  // Everything added, but for what moves drivers (driver_offsets()). The builder's data is used up.
  Result<CharacterData> build();

  const DriverOffsets& driver_offsets() const { return driver_offsets_; }

  // Of the meshes added so far, in order: a control mesh's index is its place here.
  const std::vector<MeshReport>& reports() const { return reports_; }

 private:
  Result<void> add_mesh(const Mesh& mesh, MeshBinding binding, const std::string& deformer, bool control,
                        const ControlOptions& options);
  std::uint32_t take_slots(std::uint64_t count, std::uint32_t first_stage);
  std::uint32_t stage_of(std::span<const SparseRows> groups) const;

  const Model& model_;
  bool keep_vertex_order_;
  CharacterData data_;
  std::uint64_t palette_size_ = 0;                         // 64 bits until build() has checked it
  std::map<std::uint32_t, std::uint32_t> stage_of_slots_;  // first palette entry of a run -> its first stage
  std::map<BlendMode, std::uint32_t> joint_slots_;
  std::optional<std::uint32_t> root_slot_;
  std::vector<std::uint32_t> streamed_meshes_;
  std::vector<MeshReport> reports_;
  DriverOffsets driver_offsets_;
};

// Drivers that more than one layer may use; surface_ffd/driver.h knows what they are.
struct SharedDrivers;

struct DeformerTarget {
  std::uint32_t mesh;           // in Model::meshes
  std::span<const float> mask;  // one value a vertex; where it is 0 the layer's rows are not used, and may be empty
};

// What every deformer's bind is given.
struct DeformerInput {
  const Model& model;
  std::span<const DeformerTarget> targets;
  const std::string& layer;  // "layer 2 (surface_ffd)": how errors and notes begin
  const Rig& rig;            // its groups, and the directory where relative file names start
  unsigned threads;
  CharacterBuilder& builder;
  SharedDrivers& drivers;                                // of all layers so far
  std::vector<std::string>& notes;                       // for the report
  std::vector<PointReport>& points;                      // for the report
  const std::function<void(double fraction)>& progress;  // of this layer; never empty
  std::uint32_t rig_layer = 0;                           // its number in Rig::layers, where it is one of them
};

// kInvalidArgument: the layer, then why.
tl::unexpected<Error> invalid(const DeformerInput& input, const std::string& why);

}  // namespace pelt
