// SPDX-License-Identifier: MIT
// The bind data of characters in a buffer of the device (FrameBuffer::kBindData). Knows no Vulkan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <pelt/character.h>

namespace pelt::runtime {

// The starts of a mesh's bind data, in elements; from `slice` on, in words.
struct MeshStart {
  std::uint32_t local_point = 0;
  std::uint32_t point = 0;
  std::uint32_t direction = 0;
  std::uint32_t slice = 0;
  std::uint32_t influence = 0;
  std::uint32_t gradient = 0;
  std::uint32_t gradient_unit = 0;
  std::uint32_t painted_slice = 0;
  std::uint32_t painted_influence = 0;
  std::uint32_t morph_slice = 0;
  std::uint32_t morph_column = 0;
  std::uint32_t morph_offset = 0;
  std::uint32_t ring_slice = 0;
  std::uint32_t ring = 0;
};

struct PassStart {
  std::uint32_t record = 0;  // index among the records of its kernel
  std::uint32_t word = 0;    // first word of its table
};

// A character, and the starts of its bind data in their buffer.
struct PlacedCharacter {
  Character character;
  std::uint32_t bind_buffer = 0;  // number of the buffer
  std::vector<MeshStart> meshes;
  std::vector<MeshStart> levels;  // of CharacterData::levels
  std::vector<PassStart> passes;
  std::uint32_t first_bound = 0;
  std::uint32_t bound_count = 0;
  std::uint32_t painted_bound_count = 0;  // after those of the deformers
  std::uint32_t first_anchor = 0;         // index among records of anchors
};

// The bind data of a character, to be written into a part of a buffer that has those of others too. Shaders bind the
// whole buffer as an array of the elements that they read, so indices count elements from its start.
class BindData {
 public:
  static constexpr std::uint64_t kAlignment = 48;  // of offsets and sizes

  // `tension`: with the data that PlannedOutputs::tension needs.
  explicit BindData(const Character& character, bool tension = false);
  std::uint64_t bytes() const { return bytes_; }
  // Writes them to the host's copy of the part, of bytes(), that begins at `offset` in the buffer of this number.
  PlacedCharacter write(std::uint32_t bind_buffer, std::uint64_t offset, std::byte* part) const;

 private:
  struct Found;
  std::shared_ptr<const Found> found_;
  std::uint64_t bytes_ = 0;
};

}  // namespace pelt::runtime
