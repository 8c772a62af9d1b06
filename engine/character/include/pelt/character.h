// SPDX-License-Identifier: MIT
// A character is what bind makes and a game loads: everything that poses and moves it, packed, immutable and validated.
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

// The kernel of a pass that poses a range of the palette. The numbers are part of the .pelt format.
enum class PoseKernel : std::uint32_t {
#define PELT_POSE_KERNEL(kernel, folder, shader) kernel,
#include <pelt/pose_kernels.list>
#undef PELT_POSE_KERNEL
};

// A pass: records that one pose kernel turns into palette entries. A stage runs its passes, then blends its meshes.
struct PalettePass {
  PoseKernel kernel = PoseKernel::kLinearBlend;
  std::uint32_t stage = 0;
  std::uint32_t first_slot = 0;  // palette entry that record 0 writes
  std::uint32_t record_count = 0;
  std::vector<std::uint32_t> records;  // record_count structs of shaders/<kernel>/pose.h, as words
  std::vector<std::uint32_t> table;    // words that the records refer to
  // True if the pass poses the bound joints, a record for each in their order, which PaintedWeights blend: of all
  // passes that pose joints it alone is needed by instances of Detail::kLinearBlend. A character has at most one such
  // pass.
  bool painted = false;
};

enum class BlendMode : std::uint32_t {
  kLinear = 0,          // v' = sum w T l
  kDualQuaternion = 1,  // stretches blended linearly, then dual quaternions (Kavan et al. 2008)
  kWires = 2,           // groups of influences, each blended linearly, combined by Wires (Singh & Fiume 1998)
  kOffsets = 3,         // groups of influences, each blended linearly, with a local point of its own: v' = sum s w T l
};

// Largest exponent of Wires; there the largest displacement practically decides alone.
inline constexpr float kMaxWiresExponent = 64;

// Parameters of BlendMode::kWires.
struct Wires {
  float exponent = 1;           // m, 0 to kMaxWiresExponent
  std::uint32_t root_slot = 0;  // palette entry with the root joint's motion, from which displacements are measured
};

// The method that moves the skins of a copy (docs/detail.md).
enum class Detail : std::uint32_t {
  kFull,         // the deformers
  kLinearBlend,  // linear blend by the model's own weights (PaintedWeights); control meshes are not updated
};

// The model's own weights of a skin, over the bound joints. They move copies that are small on screen by linear blend,
// v' = sum w M_j p, and tools read them (painted_rows). They share the mesh's points p, normals, tangents and order.
struct PaintedWeights {
  std::uint32_t first_joint = 0;          // bound joint that index 0 of the influences names
  std::vector<std::uint32_t> slices;      // as in PackedBinding, one group
  std::vector<std::uint32_t> influences;  // as in PackedBinding
};

// A mesh and its binding. Vertices are in packed order; source_vertex gives their order in the model.
struct CharacterMesh {
  std::string name;
  std::string deformer;  // as in the bind report, for people
  bool control = false;  // moves other meshes and is not skin
  BlendMode mode = BlendMode::kLinear;
  std::uint32_t stage = 0;
  std::uint32_t first_vertex = 0;  // index of its first vertex in every output; all meshes are laid end to end
  std::uint32_t first_slot = 0;    // palette entry that index 0 of its influences names
  std::optional<std::uint32_t>
      frame_slot;  // control: where the blended frame of vertex 0 is written, one entry a vertex
  std::optional<std::uint32_t> offset_slot;  // palette entry that offsets vertex 0 before its blend
  std::optional<Wires> wires;
  std::optional<PackedMorphs> morphs;  // skin alone; drivers have theirs in a pass of the kernel kKeyPose
  PackedBinding binding;
  std::vector<std::uint32_t> source_vertex;  // vertex of the model's mesh, for each vertex; a permutation
  std::vector<glm::uvec3> triangles;         // packed order
  std::vector<glm::vec2> uvs;                // packed order; may be empty
  std::vector<MeshPart> parts;
  std::optional<PaintedWeights> painted;  // of every skin that has weights in the model

  std::uint32_t vertex_count() const { return binding.vertex_count(); }
};

// Returns a mesh's painted weights with the mesh's points and directions, as the linear-blend kernels take them.
// Precondition: it has some.
PackedBinding painted_binding(const CharacterMesh& mesh);

// Returns a mesh's painted weights, multiples of 1/65535, in packed order; columns: CharacterData::bound_joints. No
// rows: it has none.
SparseRows painted_rows(const CharacterMesh& mesh);

// A streamed driver: a control mesh whose vertices the caller gives each frame, for example from a simulation or a
// point cache.
struct Stream {
  std::uint32_t mesh = 0;         // a control mesh; its vertices, in packed order, are the stream's points
  std::uint32_t first_input = 0;  // input with x of point 0; 3 inputs a point
};

enum class ControlKind : std::uint32_t {
  kMorphTarget = 0,  // the weight of a morph target of a skin or a driver
  // The twist of a joint about its bone, radians, from the rest pose. It tells 270 degrees from -90, which joint
  // matrices cannot: of the twists that give the same matrices, the one nearest to the input is taken.
  kTwist = 1,
  // The value of a set of morph targets (Expression), which adds to their weights; 0 to 1, and held there.
  kExpression = 2,
  // The time of secondary action, by Evaluator::advance and Crowd::advance. They set it, whatever value it is given;
  // who gives inputs in a buffer of his own writes Crowd::clock() there. No clip keys it. A character has one at most.
  kClock = 3,
};

// A number that the caller gives each frame.
struct Control {
  ControlKind kind = ControlKind::kMorphTarget;
  std::string name;          // "mesh/target", "twist/joint", or that of the expression
  std::string mesh;          // for a morph target: the model's mesh, by which clips key it
  std::uint32_t target = 0;  // for a morph target its index in Mesh::morph_targets, for a twist the joint, else 0
  float rest = 0;
  std::uint32_t input = 0;

  // Returns the name of a morph target without its mesh.
  std::string_view target_name() const {
    const bool has_mesh = name.size() > mesh.size() && name.starts_with(mesh) && name[mesh.size()] == '/';
    return std::string_view(name).substr(has_mesh ? mesh.size() + 1 : 0);
  }
};

// A skin at less detail, to be shown instead of another where that is small on screen.
struct SkinLevel {
  std::uint32_t of = 0;     // index in CharacterData::meshes; a skin
  std::uint32_t level = 1;  // 1 to kMaxLevel; the higher, the coarser
  CharacterMesh skin;       // reads the same palette; first_vertex is 0
};

inline constexpr std::uint32_t kMaxLevel = 63;  // coarsest level of detail that a skin can have

struct CharacterData {
  std::string name;
  std::string rig;  // the rig that it was bound by, in the form of format_rig; for tools that bind again
  Skeleton skeleton;
  std::vector<BoundJoint> bound_joints;  // the model's
  std::vector<Clip> clips;
  std::vector<Material> materials;
  std::vector<PalettePass> passes;
  std::vector<CharacterMesh> meshes;  // first_vertex ascends without gaps
  std::vector<SkinLevel> levels;      // by `of`, then by `level`, none twice
  std::vector<Stream> streams;
  std::vector<Control> controls;
  std::uint32_t input_count = 0;   // numbers that an instance is given each frame besides its joint matrices
  std::uint32_t palette_size = 0;  // palette entries of one instance
  std::uint32_t stage_count = 0;

  std::uint32_t vertex_count() const {
    return meshes.empty() ? 0 : meshes.back().first_vertex + meshes.back().vertex_count();
  }
  std::uint32_t coarsest_level() const;  // 0: there is no other
  std::optional<std::uint32_t> find_stream(std::string_view mesh) const;
  std::optional<std::uint32_t> find_control(std::string_view wanted) const;
  std::optional<std::uint32_t> clock_input() const;  // input of the control of kClock; none: nothing swings

  const PalettePass* painted_pass() const;  // the pass with PalettePass::painted; nullptr: there is none
  // Returns true if Detail::kLinearBlend can move the character: all skins and their levels have painted weights. Else
  // its deformers move it at every detail.
  bool has_linear_blend() const;
};

// Sets the inputs for the rest pose. Shape: inputs.size() == data.input_count.
void rest_inputs(const CharacterData& data, std::span<float> inputs);

struct VertexOffset;

// A handle to validated, immutable data: copies are cheap and share the data.
class Character {
 public:
  // Makes a Character; it is the only way, for bind and for .pelt files. Checks everything that evaluation and upload
  // rely on: ranges, indices, stages that read only what earlier ones wrote, finite numbers. Errors are
  // kInvalidArgument and name the joint, clip, mesh or palette pass.
  static Result<Character> create(CharacterData data);

  const CharacterData& operator*() const { return *data_; }
  const CharacterData* operator->() const { return data_.get(); }

  // Returns the character with its skins at a level of detail, and without `levels`: each skin is replaced by its
  // coarsest level that is not above `level`, if it has one. Joints, drivers, palette, inputs and controls stay, so
  // that the same poses and inputs move all levels alike.
  Character at_level(std::uint32_t level) const;

  // Returns the diagonal of the skin's bounding box at bind, metres; tolerances are relative to it.
  float size() const { return size_; }

 private:
  Character(std::shared_ptr<const CharacterData> data, std::uint32_t slots_read);
  // It changes nothing that create checks except a few passes, which it checks itself.
  friend Result<Character> move_driver_vertices(const Character& character, std::string_view mesh,
                                                std::span<const VertexOffset> offsets);

  std::shared_ptr<const CharacterData> data_;
  float size_ = 0;
  std::uint32_t slots_read_ = 0;  // palette entries from this one on are blended by no mesh
};

}  // namespace pelt
