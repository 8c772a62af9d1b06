// SPDX-License-Identifier: MIT
// The character while bind builds it: reserves palette entries, collects passes and meshes, and packs each mesh.
//
// An example: the skin "body" on the driver "cage", a control mesh of n vertices that follows m joints and has key
// poses. The palette holds these entries, in the order in which they were reserved:
//
//   entry        0 .. n-1              n .. n+m-1           n+m .. 2n+m-1
//              +---------------------+--------------------+--------------------+
//              | an offset for each  | the motion of each | the blended frame  |
//              | vertex of cage      | bound joint        | of each cage vertex|
//              +---------------------+--------------------+--------------------+
//   written by   pass kKeyPose         pass kLinearBlend    the blend of cage
//   in stage     0                     0                    0
//   read by      the blend of cage     the blend of cage,   the blend of body
//                                      body's painted
//   member       cage.offset_entry = 0  cage.first_entry      cage.frame_entry,
//                                                           body.first_entry
//
//   stage 0: joints, inputs --> passes of stage 0 --> entries --> blend of cage --> cage's vertices and frames
//   stage 1:      (with those) passes of stage 1, none here --> entries --> blend of body --> body's vertices
//
// A first_entry is the lowest entry that a mesh uses: its influences count from there, so that they fit 16 bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pelt/bind_report.h>
#include <pelt/character.h>
#include <pelt/frame.h>
#include <pelt/model.h>
#include <pelt/pack.h>
#include <pelt/result.h>
#include <pelt/rig.h>
#include <pelt/sparse_rows.h>

#include "engine/authoring/deformer/correctives.h"
#include "engine/authoring/deformer/level_mapping.h"
#include "engine/character/driver_offsets.h"

namespace pelt {

// A group with local points: v' = sum over groups g: share_g * sum over j of w_gj T_gj l_g. The `rows` of the binding
// are one more group, with the rest position as local point and the fraction that the offset groups leave. Gradients
// are those of share_g w_gj, and sum to 0 over all groups.
struct OffsetGroup {
  SparseRows rows;               // over palette entries; weights sum to 1; empty if the fraction is 0
  std::vector<glm::vec4> local;  // per vertex: l and the fraction; fractions of both signs make negative weights
};

// How a deformer moves one mesh, and its figures for the report. Vertices are in the mesh's own order.
struct MeshBinding {
  SparseRows rows;  // over palette entries, not merged with other layers
  BlendMode mode = BlendMode::kLinear;
  // Per vertex, metres to the closest driver element that moves it, or -1 if none does; or empty.
  std::vector<float> distances;
  std::vector<VertexRemarks> remarks;
  std::optional<double> cut_error;  // metres
  std::uint64_t dropped_elements = 0;
  // Rows of further deformers of the mesh, combined with `rows` as in Wires.
  std::vector<SparseRows> wires_rows;
  float wires_exponent = 1;
  // Further groups, whose local points are not the rest position. kLinear only.
  std::vector<OffsetGroup> offset_groups;
};

// Options of a control mesh, in addition to its binding.
struct ControlOptions {
  std::optional<std::uint32_t> offset_entry;  // CharacterMesh::offset_entry
  std::vector<std::uint32_t> source_vertex;   // its number for people, per vertex; empty: the vertex
};

// Builds a character in stages. Stage 0 poses the joints. A control mesh moves in the first stage in which everything
// that moves it is ready; skins move in the last stage, after every control mesh.
class CharacterBuilder {
 public:
  // `model` must be valid and outlive the builder.
  CharacterBuilder(const Model& model, bool keep_vertex_order, Correctives correctives = {});
  void set_row_order(RowOrder order) { row_order_ = order; }  // of skins

  // Converts rows over the model's bound joints to rows over the palette entries that pose these joints for `mode`. All
  // meshes share these palette entries; the first call adds their pass.
  SparseRows rows_over_joints(const SparseRows& weights, BlendMode mode);

  bool has_joints() const { return !data_.skeleton.joints.empty(); }

  // Returns the palette entry with the motion of the skeleton's first root from its rest pose, which is the motion of
  // the whole character. Precondition: has_joints().
  std::uint32_t root_entry();

  // Adds a mesh that moves others and is not skin, and returns its index for the functions below. `deformer` is for the
  // report. Vertices keep their order.
  Result<std::size_t> add_control_mesh(const Mesh& mesh, MeshBinding binding, const std::string& deformer,
                                       const ControlOptions& options = {});

  // Adds a control mesh whose vertices the caller supplies every frame (a streamed driver).
  Result<std::size_t> add_streamed_mesh(const Mesh& mesh);

  // Moves the vertices of a control mesh after bind (DriverParameters::offsets; move_driver.h). Errors: those of
  // check_driver_offsets, or a second call for the mesh with other offsets.
  Result<void> move_vertices(std::size_t control_mesh, const std::vector<VertexOffset>& offsets);

  // Notes in the report that a control mesh is the driver of a layer of the rig.
  void note_driver(std::size_t control_mesh, std::uint32_t rig_layer) {
    reports_[control_mesh].drives.push_back(rig_layer);
  }

  // Notes in the report the total vertex count of the refinement level whose stored vertices a control mesh has.
  void note_level(std::size_t control_mesh, std::uint32_t vertices) {
    reports_[control_mesh].level_vertices = vertices;
  }

  // Returns the keys of a morph target's weight and adds them to `weights`: for its control less the value `bound`, and
  // for the model's expressions that move it.
  std::vector<std::uint32_t> weight_keys(const Mesh& mesh, std::uint32_t target, float bound,
                                         key_weights::WeightTable& weights);

  // Returns the index of the input with a joint's twist, which the caller sets every frame. All curves that the joint
  // turns share it.
  std::uint32_t twist_input(std::uint32_t joint);

  // Returns the index of the input with the weight of a shape of a control mesh, which the caller sets every frame as
  // the control "mesh/shape". All uses of that name share it. Its target comes after the morph targets of the mesh.
  std::uint32_t shape_input(const std::string& mesh, const std::string& shape);

  // Notes the line of a muscle, for weights that follow its stretch.
  void note_muscle(const std::string& name, key_weights::MuscleLine line) { muscles_[name] = std::move(line); }
  // Returns the lines of the muscles that are added, by name.
  const std::map<std::string, key_weights::MuscleLine>& muscles() const { return muscles_; }

  // Returns the index of the input with the clock of secondary action, of which there is one.
  std::uint32_t clock_input();

  std::optional<std::size_t> find_control_mesh(const std::string& name) const;

  // Returns the index of a control mesh's first vertex among the instance's vertices.
  std::uint32_t first_vertex(std::size_t control_mesh) const;

  // Returns the first stage in which a pass can read the posed vertices of a control mesh.
  std::uint32_t stage_after(std::size_t control_mesh) const;

  // Returns the first palette entry of the blended frames of a control mesh's vertices. The first call reserves them.
  std::uint32_t frame_entries(std::size_t control_mesh);

  // Adds a palette pass, whose records may read everything that is ready in pass.stage. Sets first_entry and returns
  // it.
  std::uint32_t add_pass(PalettePass pass);

  // Notes the transforms at bind of palette entries whose local points are not rest positions (OffsetGroup).
  void note_at_bind(std::uint32_t first_entry, std::span<const Affine> transforms) {
    at_bind_.resize(std::max<std::size_t>(at_bind_.size(), first_entry + transforms.size()), Affine(0.0f));
    std::ranges::copy(transforms, at_bind_.begin() + first_entry);
  }

  // Adds the pass of the bones' twists once: all meshes share it.
  std::uint32_t add_bone_twists(PalettePass pass) {
    if (!twist_entries_) twist_entries_ = add_pass(std::move(pass));
    return *twist_entries_;
  }

  // Adds a skin. Move the binding in: the rows' memory is freed as soon as they are packed.
  Result<void> add_skin(const Mesh& mesh, MeshBinding binding, const std::string& deformer);

  // Adds a level of detail of a skin that was added; it takes the skin's morph targets of the same names. `level` must
  // be one of the model's.
  Result<void> add_level(const LevelMapping& level, MeshBinding binding, const std::string& deformer);

  // Returns a name that no mesh of the model and no control mesh has: `wish`, or `wish` with a number.
  std::string free_name(const std::string& wish) const;

  // Replaces the correctives, before any skin is added.
  void set_correctives(Correctives correctives) { correctives_ = std::move(correctives); }

  // Keeps the text of the rig with the character.
  void set_rig(std::string rig) { data_.rig = std::move(rig); }

  // Returns everything that was added, without the offsets of drivers (driver_offsets()). Uses up the builder's data.
  Result<CharacterData> build();

  const DriverOffsets& driver_offsets() const { return driver_offsets_; }

  // Returns the reports of the meshes added so far, in order. Control meshes have the same index here.
  const std::vector<MeshReport>& reports() const { return reports_; }

 private:
  struct Packed {
    CharacterMesh mesh;  // without morph targets
    MeshReport report;
    std::vector<std::uint32_t> order;  // of the source's vertices; empty: as they are
  };
  // Packs a mesh. Uses up the binding.
  Result<Packed> packed(const Mesh& mesh, MeshBinding binding, const std::string& deformer, bool control);
  void add(Packed packed);
  std::uint32_t joint_entries(BlendMode mode);
  // Adds the morph targets of `mesh` that move it to the skin `result`, and the pass of their weights.
  void add_morphs(const Mesh& mesh, std::span<const std::uint32_t> order, CharacterMesh& result);
  // Returns the index of the input with a morph target's weight, which the caller sets every frame.
  std::uint32_t control_input(const Mesh& mesh, std::uint32_t target);
  std::uint32_t take_entries(std::uint64_t count, std::uint32_t first_stage);
  std::uint32_t stage_of(std::span<const SparseRows> groups) const;

  const Model& model_;
  bool keep_vertex_order_;
  RowOrder row_order_ = RowOrder::kLength;
  Correctives correctives_;
  CharacterData data_;
  std::uint64_t palette_size_ = 0;                           // 64 bits until build() has checked it
  std::map<std::uint32_t, std::uint32_t> stage_of_entries_;  // first entry of a run -> first stage that may read it
  std::map<BlendMode, std::uint32_t> joint_entries_;
  std::optional<std::uint32_t> root_entry_, twist_entries_;
  std::map<std::string, key_weights::MuscleLine> muscles_;
  std::vector<Affine> at_bind_;  // of entries from note_at_bind; others 0
  // The amount that an expression adds to a weight.
  struct Share {
    std::uint32_t input;
    bool binary;
    float weight;
  };
  std::map<std::pair<std::string_view, std::uint32_t>, std::vector<Share>> shares_of_;  // by mesh and target
  std::vector<MeshReport> reports_;
  DriverOffsets driver_offsets_;
};

// Drivers that several layers may share; surface_ffd/driver.h defines them.
struct SharedDrivers;

struct DeformerTarget {
  std::uint32_t mesh;           // index in Model::meshes
  std::span<const float> mask;  // one value per vertex; if it is 0, the layer's row is not used and may be empty
  // Not null: the target is this level of detail of the mesh. It is bound to surfaces that only full meshes shape.
  const LevelMapping* level = nullptr;
};

// The input of every deformer's bind.
struct DeformerInput {
  const Model& model;
  std::span<const DeformerTarget> targets;
  const std::string& layer;  // "layer 1 (surface-ffd)": how errors and notes begin
  const Rig& rig;            // its groups, and the directory of relative file names
  unsigned threads;
  CharacterBuilder& builder;
  SharedDrivers& drivers;                                // drivers of all layers so far
  std::vector<std::string>& notes;                       // for the report
  std::vector<PointReport>& points;                      // for the report
  const std::function<void(double fraction)>& progress;  // progress of this layer; never empty
  std::uint32_t rig_layer = 0;                           // index in Rig::layers, if the rig has the layer
};

const Mesh& mesh_of(const DeformerInput& input, const DeformerTarget& target);

// Returns the targets that are not levels of detail; they come first.
std::span<const DeformerTarget> full_detail(const DeformerInput& input);

// Makes a kInvalidArgument error with the layer, then `why`.
tl::unexpected<Error> invalid(const DeformerInput& input, const std::string& why);

}  // namespace pelt
