// SPDX-License-Identifier: MIT
// What bind makes and a game links: everything that poses and moves one character, packed, immutable, validated.
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

// Records that one pose kernel turns into palette entries. Stage s is: its palette passes, then the blend of its
// meshes.
struct PalettePass {
  PoseKernel kernel = PoseKernel::kLinearBlend;
  std::uint32_t stage = 0;
  std::uint32_t first_slot = 0;  // palette entry that record 0 writes
  std::uint32_t record_count = 0;
  std::vector<std::uint32_t> records;  // record_count structs of shaders/<kernel>/pose.h, as words
  std::vector<std::uint32_t> table;    // what records of varying length refer to, as words
  // Poses the joints that the linear-blend fits of all meshes blend (LinearFit), and nothing else reads it: needed by
  // instances that are moved by their fits, and by no others. At most one pass.
  bool fit = false;
};

enum class BlendMode : std::uint32_t {
  kLinear = 0,          // v' = sum w T l
  kDualQuaternion = 1,  // stretches blended linearly, then dual quaternions (Kavan et al. 2008)
  kWires = 2,           // groups of influences, each blended linearly, combined by Wires (Singh & Fiume 1998)
  kOffsets = 3,         // groups of influences, each blended linearly, with a local point of its own: v' = sum s w T l
};

// Beyond it the largest displacement is alone.
inline constexpr float kMaxWiresExponent = 64;

// Of BlendMode::kWires.
struct Wires {
  float exponent = 1;           // m, 0 to kMaxWiresExponent
  std::uint32_t root_slot = 0;  // palette entry with the root joint's motion: displacements are measured from there
};

// A second binding of a skin, over joints alone, which moves it nearly as its own does: for copies of a character that
// are small on screen (docs/detail.md). v' = sum w M_j p by linear blend, p the mesh's own points; its normals and
// tangents as well, and its packed order.
struct LinearFit {
  std::uint32_t first_slot = 0;           // palette entry that element 0 of its influences names
  std::vector<std::uint32_t> slices;      // as PackedBinding's, of one group
  std::vector<std::uint32_t> influences;  // as PackedBinding's
  // Metres from where the mesh's own binding moves its vertices: over all of them and the poses that it was fitted to,
  // the root of the mean square and the largest.
  float rms = 0;
  float worst = 0;
};

// A mesh as it is moved. Its vertices are in packed order; source_vertex says where each came from.
struct CharacterMesh {
  std::string name;
  std::string deformer;  // as the bind report names it: for people
  bool control = false;  // moves other meshes and is not skin
  BlendMode mode = BlendMode::kLinear;
  std::uint32_t stage = 0;
  std::uint32_t first_vertex = 0;  // in the instance's vertex range, all meshes one after the other
  std::uint32_t first_slot = 0;    // palette entry that element 0 of its influences names
  std::optional<std::uint32_t>
      frame_slot;  // control: where the blended frame of vertex 0 is written, one entry a vertex
  std::optional<std::uint32_t> offset_slot;  // where what moves vertex 0 before it is blended is read
  std::optional<Wires> wires;
  PackedBinding binding;
  // Skin and drivers that are the model's as they are: the hash of the number of vertices and the triangles, as the
  // model orders them (topology_hash). Where a model's differs, numbers of vertices and triangles no longer mean the
  // same.
  glm::uvec2 topology{0};
  std::vector<std::uint32_t> source_vertex;  // vertex of the model's mesh; a permutation
  std::vector<glm::uvec3> triangles;         // packed order
  std::vector<glm::vec2> uvs;                // packed order; may be empty
  std::vector<MeshPart> parts;
  // Skin: the model's own weights, packed order, columns CharacterData::bound_joints; no rows where it had none. They
  // move nothing: model_of reads them, so that the same mesh can be shown as linear blend moves it.
  SparseRows weights;
  std::optional<LinearFit> fit;  // of all skins or of none

  std::uint32_t vertex_count() const { return binding.vertex_count(); }
};

// A mesh's fit with the mesh's points and directions: what the kernels of linear blend take. Precondition: it has one.
PackedBinding fit_binding(const CharacterMesh& mesh);

// A control mesh whose vertices the caller places, frame by frame: a simulation, a point cache.
struct Stream {
  std::uint32_t mesh = 0;         // its vertices, in packed order, are the stream's points
  std::uint32_t first_input = 0;  // x of point 0; 3 numbers a point
};

enum class ControlKind : std::uint32_t {
  kMorphTarget = 0,  // the weight of a morph target of a driver
  // The twist of a joint about its bone, radians, from rest. It tells 270 degrees from -90, which joint matrices
  // cannot: of the twists that give the same matrices, the one nearest to it is taken.
  kTwist = 1,
};

// A number that the caller gives, frame by frame.
struct Control {
  ControlKind kind = ControlKind::kMorphTarget;
  std::string name;          // "mesh/target", "twist/joint"
  std::string mesh;          // of the model; clips key a morph target by this and
  std::uint32_t target = 0;  // its number in Mesh::morph_targets; of a twist: the joint
  float rest = 0;
  std::uint32_t input = 0;
};

struct CharacterData {
  std::string name;
  std::string rig;  // what it was bound by, as format_rig has it; for tools that bind again
  Skeleton skeleton;
  std::vector<BoundJoint> bound_joints;  // of the model
  std::vector<Clip> clips;
  std::vector<Material> materials;
  std::vector<PalettePass> passes;
  std::vector<CharacterMesh> meshes;  // first_vertex ascends without gaps
  std::vector<Stream> streams;
  std::vector<Control> controls;
  std::uint32_t input_count = 0;   // numbers that an instance is given a frame besides its joint matrices
  std::uint32_t palette_size = 0;  // entries of one instance
  std::uint32_t stage_count = 0;

  std::uint32_t vertex_count() const {
    return meshes.empty() ? 0 : meshes.back().first_vertex + meshes.back().vertex_count();
  }
  std::optional<std::uint32_t> find_stream(std::string_view mesh) const;
  std::optional<std::uint32_t> find_control(std::string_view wanted) const;

  // The pass with PalettePass::fit; nullptr where the skins have no fits. Its entries are the last of the palette.
  const PalettePass* fit_pass() const;
  void drop_fits();
};

// The inputs of a character at rest. Shape: inputs.size() == data.input_count.
void rest_inputs(const CharacterData& data, std::span<float> inputs);

struct VertexOffset;

// A handle to validated, immutable data: copies are cheap and share it.
class Character {
 public:
  // Checks everything that evaluation and upload rely on: ranges, indices, stages that only read what an earlier one
  // wrote, finiteness. The only way to make a Character, for bind and for .pelt files alike. Errors are
  // kInvalidArgument and name the joint, clip, mesh or palette pass.
  static Result<Character> create(CharacterData data);

  const CharacterData& operator*() const { return *data_; }
  const CharacterData* operator->() const { return data_.get(); }

  // Diagonal of the bounding box of the skin at bind, metres: what tolerances are relative to.
  float size() const { return size_; }

 private:
  Character(std::shared_ptr<const CharacterData> data, std::uint32_t slots_read);
  // Changes nothing that create checks, but a few passes, which it checks itself.
  friend Result<Character> move_driver_vertices(const Character& character, std::string_view mesh,
                                                std::span<const VertexOffset> offsets);

  std::shared_ptr<const CharacterData> data_;
  float size_ = 0;
  std::uint32_t slots_read_ = 0;  // no mesh blends palette entries from this one on
};

}  // namespace pelt
