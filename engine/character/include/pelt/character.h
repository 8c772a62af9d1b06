// SPDX-License-Identifier: MIT
// A character, the result of bind, which a game loads: everything that poses and moves it, packed, immutable and
// validated.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/animation.h>
#include <pelt/mesh.h>
#include <pelt/model.h>
#include <pelt/morphs.h>
#include <pelt/pack.h>
#include <pelt/result.h>
#include <pelt/skeleton.h>
#include <pelt/sparse_rows.h>

namespace pelt {

// The kernel of a pass that poses a range of the palette. The .pelt format stores the numbers.
enum class PoseKernel : std::uint32_t {
#define PELT_POSE_KERNEL(kernel, folder, shader) kernel,
#include <pelt/pose_kernels.list>
#undef PELT_POSE_KERNEL
};

// A pass turns records into palette entries with one pose kernel. A stage runs its passes, then blends its meshes.
struct PalettePass {
  PoseKernel kernel = PoseKernel::kLinearBlend;
  std::uint32_t stage = 0;
  std::uint32_t first_entry = 0;  // palette entry that record 0 writes
  std::uint32_t record_count = 0;
  std::vector<std::uint32_t> records;  // record_count structs of shaders/<kernel>/pose.h, as words
  std::vector<std::uint32_t> table;    // words that the records refer to
  // True if the pass has one record per bound joint, in order, for PaintedWeights. Instances of Detail::kLinearBlend
  // need only this one of the passes that pose joints. A character has at most one.
  bool painted = false;
};

enum class BlendMode : std::uint32_t {
  kLinear = 0,          // v' = sum w T l
  kDualQuaternion = 1,  // stretches blended linearly, then dual quaternions (Kavan et al. 2008)
  kWires = 2,           // groups of influences, each blended linearly, combined by Wires (Singh & Fiume 1998)
  kOffsets = 3,         // groups of influences, each blended linearly with its own local point: v' = sum s w T l
};

// Largest exponent of Wires; with it, practically only the largest displacement counts.
inline constexpr float kMaxWiresExponent = 64;

// Parameters of BlendMode::kWires.
struct Wires {
  float exponent = 1;            // m, 0 to kMaxWiresExponent
  std::uint32_t root_entry = 0;  // palette entry of the root joint's motion; displacements are relative to it
};

// The method that moves the skins of an instance (docs/detail.md).
enum class Detail : std::uint32_t {
  kFull,         // by the deformers
  kLinearBlend,  // by linear blend with PaintedWeights; control meshes are not updated
};

// A skin's painted weights over the bound joints: v' = sum w M_j p. They move instances that are small on screen by
// linear blend, and tools read them (painted_rows). They use the mesh's own points p, normals, tangents and order.
struct PaintedWeights {
  std::uint32_t first_joint = 0;          // bound joint that index 0 of the influences names
  std::vector<std::uint32_t> slices;      // as in PackedBinding, one group
  std::vector<std::uint32_t> influences;  // as in PackedBinding
};

// A mesh and its binding. Vertices are in packed order; source_vertex maps them to the model's order.
struct CharacterMesh {
  std::string name;
  std::string deformer;  // as in the bind report, for people
  bool control = false;  // moves other meshes; not a skin
  BlendMode mode = BlendMode::kLinear;
  std::uint32_t stage = 0;
  std::uint32_t first_vertex = 0;  // index of its first vertex in every output, in which all meshes follow each other
  std::uint32_t first_entry = 0;   // palette entry that index 0 of its influences names
  std::optional<std::uint32_t> frame_entry;  // control mesh: palette entry of vertex 0's blended frame, one per vertex
  // First of the palette entries that offset the last vertices before their blend: all records of a pass of kKeyPose.
  std::optional<std::uint32_t> offset_entry;
  std::uint32_t first_offset_vertex = 0;  // the first that they move, a multiple of shared::kSliceRows
  std::optional<Wires> wires;
  std::optional<PackedMorphs> morphs;  // skins only; a driver's are in a pass of kKeyPose
  PackedBinding binding;
  std::vector<std::uint32_t> source_vertex;  // vertex of the model's mesh, per vertex; a permutation
  std::vector<glm::uvec3> triangles;         // packed order
  std::vector<glm::vec2> uvs;                // packed order; may be empty
  std::vector<MeshPart> parts;
  std::optional<PaintedWeights> painted;  // of every skin that has weights in the model

  std::uint32_t vertex_count() const { return binding.vertex_count(); }
};

// Returns a mesh's painted weights with its points and directions, for the linear-blend kernels. Precondition: the mesh
// has painted weights.
PackedBinding painted_binding(const CharacterMesh& mesh);

// Returns a mesh's painted weights, multiples of 1/65535, in packed order; columns: CharacterData::bound_joints. No
// rows: the mesh has no painted weights.
SparseRows painted_rows(const CharacterMesh& mesh);

// A streamed driver: a control mesh whose vertices the caller sets each frame, for example from a simulation or a point
// cache.
struct Stream {
  std::uint32_t mesh = 0;         // a control mesh; its vertices, in packed order, are the stream's points
  std::uint32_t first_input = 0;  // input with x of point 0; 3 inputs per point
};

enum class ControlKind : std::uint32_t {
  kMorphTarget = 0,  // the weight of a morph target of a skin or a driver
  // The twist of a joint about its bone, radians, from the rest pose. Joint matrices cannot distinguish 270 degrees
  // from -90: of all twists that match the matrices, the one nearest to the input is used.
  kTwist = 1,
  // The value of an Expression, a set of morph targets, which adds to their weights; clamped to 0 to 1.
  kExpression = 2,
  // The time of secondary action, set by Evaluator::advance and Crowd::advance, which overwrite any other value; if you
  // supply inputs in your own buffer, write Crowd::clock() there. Clips do not key it. A character has at most one.
  kClock = 3,
};

// A number that the caller sets each frame.
struct Control {
  ControlKind kind = ControlKind::kMorphTarget;
  std::string name;          // "mesh/target", "twist/joint", or that of the expression
  std::string mesh;          // for a morph target: the model's mesh, by which clips key it
  std::uint32_t target = 0;  // morph target: index in Mesh::morph_targets; twist: the joint; else 0
  float rest = 0;
  std::uint32_t input = 0;

  // Returns a morph target's name without its mesh.
  std::string_view target_name() const {
    const bool has_mesh = name.size() > mesh.size() && name.starts_with(mesh) && name[mesh.size()] == '/';
    return std::string_view(name).substr(has_mesh ? mesh.size() + 1 : 0);
  }
};

// A coarser mesh of a skin, shown instead of it while that is small on screen.
struct SkinLevel {
  std::uint32_t of = 0;     // index in CharacterData::meshes; a skin
  std::uint32_t level = 1;  // 1 to kMaxLevel; the higher, the coarser
  CharacterMesh skin;       // reads the same palette; first_vertex is 0
};

// A named point of a skin, with a position and a frame in every pose (pelt/anchor.h).
struct SkinAnchor {
  std::string name;
  std::uint32_t mesh = 0;     // index in CharacterData::meshes; a skin
  glm::uvec3 vertices{0};     // corners of a triangle, from its longest edge at bind on, or one vertex three times
  glm::vec3 shares{1, 0, 0};  // of the corners, 0 to 1, with the sum 1
};

// How well a character reproduces the poses that it was learnt from (docs/learn.md); for tools.
struct Certificate {
  std::string text;                   // JSON; empty: the character is not learnt
  float unit = 0;                     // of errors, metres
  std::vector<std::uint32_t> errors;  // bytes of the largest error of each vertex of all skins, in the model's order
  bool empty() const { return text.empty(); }
};

inline constexpr std::uint32_t kMaxLevel = 63;  // coarsest level of detail that a skin can have

struct CharacterData {
  std::string name;
  std::string rig;  // the rig that it was bound with, as written by format_rig; for tools that bind again
  Skeleton skeleton;
  std::vector<BoundJoint> bound_joints;  // the model's
  std::vector<Clip> clips;
  std::vector<Material> materials;
  std::vector<PalettePass> passes;
  std::vector<CharacterMesh> meshes;  // first_vertex ascends without gaps
  std::vector<SkinLevel> levels;      // by `of`, then by `level`, each once
  std::vector<Stream> streams;
  std::vector<Control> controls;
  std::vector<SkinAnchor> anchors;  // names are unique
  Certificate certificate;
  std::uint32_t input_count = 0;   // numbers per instance and frame, besides the joint matrices
  std::uint32_t palette_size = 0;  // palette entries of one instance
  std::uint32_t stage_count = 0;

  std::uint32_t vertex_count() const {
    return meshes.empty() ? 0 : meshes.back().first_vertex + meshes.back().vertex_count();
  }
  std::uint32_t coarsest_level() const;  // 0: there is no other level
  std::optional<std::uint32_t> find_stream(std::string_view mesh) const;
  std::optional<std::uint32_t> find_control(std::string_view wanted) const;
  std::optional<std::uint32_t> find_anchor(std::string_view wanted) const;
  std::optional<std::uint32_t> clock_input() const;  // input of the control of kClock; none: no secondary action

  const PalettePass* painted_pass() const;  // the pass with PalettePass::painted, or nullptr
  // Returns true if Detail::kLinearBlend can move the character: all skins and their levels have painted weights.
  // Otherwise the deformers move it at every detail.
  bool has_linear_blend() const;
};

// Sets the inputs for the rest pose. Shape: inputs.size() == data.input_count.
void rest_inputs(const CharacterData& data, std::span<float> inputs);

struct VertexOffset;

// A handle to validated, immutable data: copies are cheap and share the data.
class Character {
 public:
  // The only way to make a Character, for bind and for .pelt files. Checks everything that evaluation and upload rely
  // on: ranges, indices, finite numbers, and that a stage reads only what earlier ones wrote. Errors: kInvalidArgument,
  // naming the joint, clip, mesh or palette pass.
  static Result<Character> create(CharacterData data);

  const CharacterData& operator*() const { return *data_; }
  const CharacterData* operator->() const { return data_.get(); }

  // Returns the character with its skins at a level of detail, and without `levels`: each skin is replaced by its
  // coarsest level up to `level`, if it has one. Joints, drivers, palette, inputs and controls stay, so the same poses
  // and inputs move all levels alike. Anchors move to the nearest points at bind.
  Character at_level(std::uint32_t level) const;

  // Returns the diagonal of the skin's bounding box at bind, metres; tolerances are relative to it.
  float size() const { return size_; }

 private:
  Character(std::shared_ptr<const CharacterData> data, std::uint32_t entries_read);
  // Changes only a few passes that create checks, and checks those itself.
  friend Result<Character> move_driver_vertices(const Character& character, std::string_view mesh,
                                                std::span<const VertexOffset> offsets);

  std::shared_ptr<const CharacterData> data_;
  float size_ = 0;
  std::uint32_t entries_read_ = 0;  // no mesh blends palette entries from this one on
};

}  // namespace pelt
