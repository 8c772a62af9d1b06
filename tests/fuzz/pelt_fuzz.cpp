// SPDX-License-Identifier: MIT
// .pelt files: whatever their chunks hold, they are refused, or written again as they are and moved.
#include <algorithm>
#include <cstring>

#include <pelt/pelt_file.h>

#include "samples/pelt/bind_view.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/mutate.h"
#include "tests/support/sealed.h"

namespace {

using pelt::test::Bytes;
using pelt::test::FileChunk;

// Returns true if chunks_of can read the file: its table names bytes of the file.
bool has_table(const Bytes& file) {
  using namespace pelt::test;
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, file.data() + at, sizeof value);
    return value;
  };
  if (file.size() < kTableAt || number(kHeaderSize) > (file.size() - kTableAt) / kLineSize) return false;
  for (std::size_t i = 0; i < number(kHeaderSize); ++i) {
    const std::size_t line = kTableAt + i * kLineSize;
    const std::uint64_t offset = number(line + kLineOffset);
    if (offset > file.size() || number(line + kLineLength) > file.size() - offset) return false;
  }
  return number(kHeaderSize) > 0;
}

void change_table(std::vector<FileChunk>& chunks, pelt::fuzz::Random& random) {
  const auto chunk = chunks.begin() + static_cast<std::ptrdiff_t>(random() % chunks.size());
  switch (random() % 6) {
    case 0:
      chunks.erase(chunk);
      break;
    case 1:
      chunks.push_back(*chunk);
      break;
    case 2:
      std::iter_swap(chunk, chunks.begin());
      break;
    case 3:
      chunk->version = static_cast<std::uint16_t>(random() % 4);
      break;
    case 4:
      chunk->flags ^= 1;
      break;
    default:
      chunk->type[random() % 4] = static_cast<char>(random() % 256);
  }
}

std::size_t put_file(const Bytes& file, std::uint8_t* data, std::size_t size, std::size_t max_size) {
  if (file.size() > max_size) return size;
  std::memcpy(data, file.data(), file.size());
  return file.size();
}

Bytes bytes_of(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  Bytes file = bytes_of(data, size);
  pelt::fuzz::Random random(seed);
  if (!has_table(file)) return LLVMFuzzerMutate(data, size, max_size);
  if (random() % 32 == 0) {  // the table itself, or anything else
    pelt::fuzz::change_bytes(file, 0);
    if (file.size() < pelt::test::kHeaderSize) return LLVMFuzzerMutate(data, size, max_size);
    return put_file(pelt::test::sealed(std::move(file)), data, size, max_size);
  }
  std::vector<FileChunk> chunks = pelt::test::chunks_of(file);
  Bytes& payload = chunks[random() % chunks.size()].payload;
  switch (random() % 16) {
    case 0:
      change_table(chunks, random);
      break;
    case 1:
    case 2:
    case 3:
      pelt::fuzz::change_count(payload, random);
      break;
    case 4:
    case 5:
      if (!payload.empty()) pelt::fuzz::change_bytes(payload, 64);
      break;
    default:
      pelt::fuzz::change_words(payload, random);
  }
  return put_file(pelt::test::file_of(chunks), data, size, max_size);
}

// Takes chunks of a kind from the second file.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second, std::size_t second_size, std::uint8_t* out,
                                                 std::size_t max_size, unsigned seed) {
  const Bytes a = bytes_of(first, first_size);
  const Bytes b = bytes_of(second, second_size);
  if (!has_table(a) || !has_table(b)) return put_file(a, out, 0, max_size);
  pelt::fuzz::Random random(seed);
  std::vector<FileChunk> chunks = pelt::test::chunks_of(a);
  const std::vector<FileChunk> others = pelt::test::chunks_of(b);
  const FileChunk& taken = others[random() % others.size()];
  for (FileChunk& chunk : chunks) {
    if (chunk.type == taken.type && random() % 2 == 0) chunk = taken;
  }
  return put_file(pelt::test::file_of(chunks), out, 0, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const pelt::Result<pelt::Character> character = pelt::deserialize(bytes, "x.pelt");
  if (!character) {
    pelt::fuzz::require(character.error().message.starts_with("x.pelt: "), "an error names the file");
    return 0;
  }
  const Bytes written = pelt::serialize(*character);
  const auto again = pelt::deserialize(written, "again.pelt");
  pelt::fuzz::require(again && pelt::serialize(*again) == written, "a file that was read is written as it is read");
  const std::uint64_t choice = pelt::fuzz::choice_of(bytes);
  if (const auto errors = pelt::samples::view_of_bind(*character, "learnt")) {
    for (const float value : errors->values) pelt::fuzz::require(value >= 0 && value <= 1, "an error has a colour");
  }
  pelt::fuzz::move_on_cpu(*character, choice);
  if (choice % 10 == 0) pelt::fuzz::move_on_device(*character, choice);
  return 0;
}
