// SPDX-License-Identifier: MIT
// Describes a character's palette to people: the names of its entries, their posed frames, the inputs they read, and
// how much of the skin they move. For viewers and reports; games do not need it.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <glm/gtc/type_precision.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/character.h>
#include <pelt/frame.h>
#include <pelt/tools/palette_entry.h>

namespace pelt {

class Evaluator;

bool has_frame(EntryKind kind);

struct PosedEntry {
  EntryKind kind = EntryKind::kNone;
  Affine frame = affine_identity();      // posed, model space
  Affine from_rest = affine_identity();  // as EntryRest::from_rest
};

// Return the name of a kernel in reports, and the number of palette entries per record.
std::string_view pose_kernel_name(PoseKernel kernel);
std::uint32_t entries_per_record(PoseKernel kernel);

// Poses records [begin, end) of a pass on the CPU, as evaluators do by default: writes their entries of `palette`
// (size: palette_size) from model-space joint matrices, posed vertices of all meshes (those of earlier stages are read)
// and input_count inputs.
void pose_pass(const PalettePass& pass, std::size_t begin, std::size_t end, std::span<const glm::mat4> joints,
               std::span<const glm::vec3> vertices, std::span<const float> inputs, std::span<Affine> palette);

// Returns every entry of the palette that `evaluator` has posed with these model-space joint matrices.
std::vector<PosedEntry> posed_entries(const Character& character, const Evaluator& evaluator,
                                      std::span<const glm::mat4> joints);

// Returns one entry. Precondition, here and below: entry < palette_size.
PosedEntry posed_entry(const Character& character, const Evaluator& evaluator, std::span<const glm::mat4> joints,
                       std::uint32_t entry);

// Returns a name for people: "joint left_forearm", "curve hips..head at 0.412 m".
std::string entry_label(const CharacterData& character, std::uint32_t entry);

EntryKind entry_kind(const CharacterData& character, std::uint32_t entry);

// Returns the joints, vertices and inputs that an entry reads.
std::vector<EntrySource> entry_sources(const CharacterData& character, std::uint32_t entry);

// Consecutive samples of a curve, of a muscle's line or of a chain of control points: palette entries.
struct EntryLine {
  EntryKind kind = EntryKind::kCurveSample;
  std::vector<std::uint32_t> entries;
};

// Returns the line of every curve bone, muscle and window that has samples, in palette order.
std::vector<EntryLine> entry_lines(const CharacterData& character);

// Returns every handle, posed by model-space joint matrices and input_count inputs.
std::vector<PosedHandle> posed_handles(const CharacterData& character, std::span<const glm::mat4> joints,
                                       std::span<const float> inputs);

// Returns how much joints, vertices of drivers or palette entries together move each vertex of all meshes, in packed
// order, 0 to 1. Drivers pass this on: a vertex moved by a driver vertex that moves half with a joint moves half with
// it, too. Precondition: they exist.
std::vector<float> source_shares(const CharacterData& character, SourceKind kind,
                                 std::span<const std::uint32_t> indices);

struct VertexInfluence {
  std::uint32_t entry = 0;  // of the palette
  float weight = 0;         // times its group's share: the weights sum to 1
  glm::vec3 local{0.0f};    // the group's local point; the rest position if groups have no local points
};

// Returns the influences of one vertex of the mesh (in packed order), strongest first.
std::vector<VertexInfluence> influences_of(const CharacterMesh& mesh, std::uint32_t vertex);

// Returns the rotation of a driver's vertex from bind to its pose, without its own offset. Exact if the mesh has frames
// (CharacterMesh::frame_entry) or is blended linearly; else the rotation that best fits the edges of the triangles
// round the vertex.
glm::mat3 vertex_motion(const CharacterMesh& mesh, const Evaluator& evaluator, std::uint32_t vertex);

// Returns the tension of each vertex of a skin at these positions, as Evaluator::tension().
std::vector<glm::i8vec2> tension_of(const CharacterMesh& mesh, std::span<const glm::vec3> positions);

// Returns the index in packed order of the model's vertex `source`; none: there is no such vertex.
std::optional<std::uint32_t> packed_vertex(const CharacterMesh& mesh, std::uint32_t source);

// Returns the skin or driver of this name, or nullptr.
const CharacterMesh* find_mesh(const CharacterData& character, std::string_view name);

}  // namespace pelt
