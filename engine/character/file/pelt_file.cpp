// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <pelt/pelt_file.h>
#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/guard_memory.h"
#include "engine/character/base/mapped_file.h"
#include "engine/character/file/pelt_format.h"

namespace pelt {
namespace pelt_file {
namespace {

// ---- Writing ----

class Writer {
 public:
  std::vector<std::byte> write(const CharacterData& data) {
    put(data);
    const std::uint64_t count = table_.size();
    const std::size_t table_end = kTableAt + count * sizeof(ChunkLine);
    const std::size_t first_payload = table_end + padding_of(table_end, kPayloadAlignment);
    for (ChunkLine& line : table_) line.offset += first_payload;
    bytes_.insert(bytes_.begin(), first_payload, std::byte{0});
    std::memcpy(bytes_.data() + sizeof(Header), &count, sizeof count);
    std::memcpy(bytes_.data() + kTableAt, table_.data(), count * sizeof(ChunkLine));
    const Header header{kMagic, kPeltFileVersion, bytes_.size(), checksum_of(bytes_)};
    std::memcpy(bytes_.data(), &header, sizeof header);
    return std::move(bytes_);
  }

  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }

  template <class... T>
  void chunk(ChunkKind kind, const T&... values) {
    put_chunk(kind, true, values...);
  }

  template <class T>
  void chunk_each(ChunkKind kind, const std::vector<T>& values) {
    for (const T& value : values) put_chunk(kind, true, value);
  }

  template <class T>
  void optional_chunk(ChunkKind kind, const T& value) {
    if (!value.empty()) put_chunk(kind, false, value);
  }

 private:
  template <class... T>
  void put_chunk(ChunkKind kind, bool required, const T&... values) {
    put_padding(kPayloadAlignment);
    const std::size_t begin = bytes_.size();
    (put(values), ...);
    ChunkLine line{{}, kind.version, required, begin, bytes_.size() - begin};
    assert(kind.type.size() == sizeof line.type);
    kind.type.copy(line.type, sizeof line.type);
    table_.push_back(line);
  }

  void put_bytes(const void* data, std::size_t size) {
    const std::byte* begin = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }

  void put_padding(std::size_t alignment) { bytes_.resize(bytes_.size() + padding_of(bytes_.size(), alignment)); }

  void put_count(std::size_t count) {
    assert(count <= std::numeric_limits<std::uint32_t>::max());
    put(static_cast<std::uint32_t>(count));
  }

  template <class T>
  void put(const T& value) {
    if constexpr (Flat<T>) {
      put_bytes(&value, sizeof value);
    } else if constexpr (std::is_enum_v<T> || Is<T, bool>) {
      put(static_cast<std::uint32_t>(value));
    } else {
      describe(*this, value);
    }
  }

  void put(const std::string& text) {
    put_count(text.size());
    put_bytes(text.data(), text.size());
    put_padding(4);
  }

  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }

  template <class T>
  void put(const std::vector<T>& values) {
    put_count(values.size());
    if constexpr (Flat<T>) {
      if (Aligned<T> && !values.empty()) put_padding(kPayloadAlignment);
      put_bytes(values.data(), values.size() * sizeof(T));
    } else {
      for (const T& value : values) put(value);
    }
  }

  std::vector<ChunkLine> table_;
  std::vector<std::byte> bytes_;  // payloads
};

// ---- Reading ----

// Reads a file and stops at the first error. Allocates at most a small multiple of the remaining bytes.
class Reader {
 public:
  // `bytes`: the file, with a checked header.
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes), offset_(sizeof(Header)), end_(bytes.size()) {}

  // Reads the character and returns the first error, without the file's name.
  std::optional<Error> read(CharacterData& data) {
    if (get_table() && get(data)) check_skipped();
    return error_;
  }

  template <class... T>
  void operator()(T&... values) {
    (void)(... && get(values));
  }

  template <class... T>
  void chunk(ChunkKind kind, T&... values) {
    if (enter(kind, true)) {
      leave((... && get(values)));
    } else {
      refuse_at(line_at(next_),
                formatted("chunk '{}' of version {} is missing or out of order", kind.type, kind.version));
    }
  }

  template <class T>
  void chunk_each(ChunkKind kind, std::vector<T>& values) {
    while (enter(kind, true)) leave(get(values.emplace_back()));
  }

  template <class T>
  void optional_chunk(ChunkKind kind, T& value) {
    if (enter(kind, false)) leave(get(value) && (!value.empty() || refuse("is empty: it must be left out")));
  }

 private:
  static std::string_view type_of(const ChunkLine& line) { return {line.type, sizeof line.type}; }

  // Returns "chunk 'MESH' of version 1"; the type may hold any bytes.
  static std::string name_of(const ChunkLine& line) {
    std::string type(type_of(line));
    std::replace_if(
        type.begin(), type.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return formatted("chunk '{}' of version {}", type, line.version);
  }

  std::size_t left() const { return end_ - offset_; }

  bool refuse_at(std::size_t byte, const std::string& what, ErrorCode code = ErrorCode::kInvalidFile) {
    if (!error_) error_ = Error{code, formatted("byte {}: {}", byte, what)};
    return false;
  }

  bool refuse(const std::string& what) {
    return refuse_at(offset_, chunk_ == nullptr ? what : formatted("in {}: {}", name_of(*chunk_), what));
  }

  // Returns the offset of line i of the table; i may be the number of lines.
  static std::size_t line_at(std::size_t i) { return kTableAt + i * sizeof(ChunkLine); }

  bool refuse_line(std::size_t i, const std::string& what, ErrorCode code = ErrorCode::kInvalidFile) {
    return refuse_at(line_at(i), formatted("{} {}", name_of(table_[i]), what), code);
  }

  bool get_table() {
    std::uint64_t count = 0;
    if (!get_bytes(&count, sizeof count)) return false;
    if (count > left() / sizeof(ChunkLine)) {
      return refuse(formatted("{} chunks, but {} bytes are left", count, left()));
    }
    table_.resize(count);
    entered_.resize(count);
    if (!get_bytes(table_.data(), count * sizeof(ChunkLine))) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const ChunkLine& line = table_[i];
      if (line.required > 1) return refuse_line(i, formatted("has flags {}, which must be 0 or 1", line.required));
      const std::size_t begin = offset_ + padding_of(offset_, kPayloadAlignment);
      if (line.offset != begin) {
        return refuse_line(i, formatted("begins at byte {} instead of {}", line.offset, begin));
      }
      if (!skip_padding(kPayloadAlignment)) return false;
      if (line.length > left()) {
        return refuse_line(i, formatted("has {} bytes, but {} are left", line.length, left()));
      }
      offset_ += line.length;
    }
    return left() == 0 || refuse(formatted("{} bytes are left at the end", left()));
  }

  // Enters the next unread chunk of the kind, if there is one.
  bool enter(ChunkKind kind, bool required) {
    if (known_.empty() || known_.back() != kind.type) known_.push_back(kind.type);
    for (std::size_t i = next_; i < table_.size() && !error_; ++i) {
      const ChunkLine& line = table_[i];
      if (type_of(line) != kind.type) continue;
      if (line.version != kind.version) {
        return refuse_line(i,
                           formatted("is present, but this program reads version {}: {}", kind.version,
                                     remedy(line.version, kind.version)),
                           ErrorCode::kUnsupported);
      }
      if (line.required != required) return refuse_line(i, required ? "must be required" : "must be optional");
      entered_[i] = true;
      next_ = i + 1;
      chunk_ = &line;
      offset_ = line.offset;
      end_ = offset_ + line.length;
      return true;
    }
    return false;
  }

  void leave(bool read) {
    if (read && left() != 0) refuse(formatted("{} bytes are left at its end", left()));
    chunk_ = nullptr;
  }

  void check_skipped() {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      if (entered_[i]) continue;
      if (std::ranges::find(known_, type_of(table_[i])) != known_.end()) {
        refuse_line(i, "is repeated or out of order");
      } else if (table_[i].required) {
        refuse_line(i, "is required but unknown: a newer program is needed", ErrorCode::kUnsupported);
      }
    }
  }

  bool get_bytes(void* data, std::size_t size) {
    if (left() < size) return refuse(formatted("{} bytes are needed, {} are left", size, left()));
    if (size != 0) std::memcpy(data, bytes_.data() + offset_, size);
    offset_ += size;
    return true;
  }

  bool skip_padding(std::size_t alignment) {
    std::array<std::byte, kPayloadAlignment> padding{};
    if (!get_bytes(padding.data(), padding_of(offset_, alignment))) return false;
    return padding == decltype(padding){} || refuse("the padding that ends here is not zero");
  }

  // `least`: smallest size of an entry, bytes.
  bool get_count(std::uint32_t& count, std::size_t least) {
    if (!get(count)) return false;
    if (count > left() / least) {
      return refuse(formatted("{} entries of at least {} bytes each, but {} bytes are left", count, least, left()));
    }
    return true;
  }

  template <class T>
  bool get(T& value) {
    if constexpr (Flat<T>) {
      return get_bytes(&value, sizeof value);
    } else if constexpr (std::is_enum_v<T> || Is<T, bool>) {
      // Character::create checks that the enumerator exists.
      std::uint32_t word = 0;
      if (!get(word)) return false;
      value = static_cast<T>(word);
      return static_cast<std::uint32_t>(value) == word || refuse(formatted("{} is not a valid choice", word));
    } else {
      describe(*this, value);
      return !error_;
    }
  }

  bool get(std::string& text) {
    std::uint32_t size = 0;
    if (!get_count(size, 1)) return false;
    text.resize(size);
    return get_bytes(text.data(), size) && skip_padding(4);
  }

  template <class T>
  bool get(std::optional<T>& value) {
    bool has_value = false;
    if (!get(has_value)) return false;
    return !has_value || get(value.emplace());
  }

  template <class T>
  bool get(std::vector<T>& values) {
    std::uint32_t count = 0;
    if constexpr (Flat<T>) {
      if (!get_count(count, sizeof(T))) return false;
      if (Aligned<T> && count != 0 && !skip_padding(kPayloadAlignment)) return false;
      values.resize(count);
      return get_bytes(values.data(), count * sizeof(T));
    } else {
      if (!get_count(count, 4)) return false;
      // Grow with the values that are read: in memory they may be larger than in the file.
      for (std::uint32_t i = 0; i < count; ++i) {
        if (!get(values.emplace_back())) return false;
      }
      return true;
    }
  }

  std::span<const std::byte> bytes_;
  std::vector<ChunkLine> table_;
  std::vector<bool> entered_;            // per line
  std::vector<std::string_view> known_;  // types that were looked for
  std::size_t next_ = 0;                 // line after the last entered one
  const ChunkLine* chunk_ = nullptr;     // the current chunk
  std::size_t offset_;
  std::size_t end_;  // end of the current part
  std::optional<Error> error_;
};

Result<void> check_header(std::span<const std::byte> bytes, const std::string& source) {
  const auto broken = [&](const std::string& what) {
    return fail(ErrorCode::kInvalidFile, formatted("{}: {}", source, what));
  };
  constexpr std::array kGlb = {'g', 'l', 'T', 'F'};
  if (bytes.size() >= sizeof kGlb && std::memcmp(bytes.data(), kGlb.data(), sizeof kGlb) == 0) {
    return broken("is a .glb, not a .pelt file");
  }
  if (bytes.size() < sizeof kMagic || std::memcmp(bytes.data(), kMagic.data(), sizeof kMagic) != 0) {
    return broken("is not a .pelt file");
  }
  if (bytes.size() < sizeof(Header)) return broken("ends within its header");
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != kPeltFileVersion) {
    return fail(ErrorCode::kUnsupported,
                formatted("{}: has format version {}, but this program reads version {}: {}", source, header.version,
                          kPeltFileVersion, remedy(header.version, kPeltFileVersion)));
  }
  if (header.file_size != bytes.size()) {
    return broken(formatted("must have {} bytes, but has {}", header.file_size, bytes.size()));
  }
  if (checksum_of(bytes) != header.checksum) return broken("is damaged: its checksum does not match");
  return {};
}

}  // namespace
}  // namespace pelt_file

std::vector<std::byte> serialize(const Character& character) { return pelt_file::Writer().write(*character); }

Result<Character> deserialize(std::span<const std::byte> bytes, const std::string& source) {
  return guard_memory([&]() -> Result<Character> {
    PELT_TRY(pelt_file::check_header(bytes, source));
    CharacterData data;
    if (const std::optional<Error> error = pelt_file::Reader(bytes).read(data)) {
      return fail(error->code, formatted("{}: {}", source, error->message));
    }
    Result<Character> character = Character::create(std::move(data));
    if (character || character.error().code == ErrorCode::kOutOfMemory) return character;
    return fail(ErrorCode::kInvalidFile, formatted("{}: {}", source, character.error().message));
  });
}

Result<void> save_pelt(const Character& character, const std::filesystem::path& path) {
  return guard_memory([&] { return write_file(path, serialize(character)); });
}

Result<Character> load_pelt(const std::filesystem::path& path, FileAccess access) {
  return guard_memory([&]() -> Result<Character> {
    if (access == FileAccess::kMapped) {
      PELT_ASSIGN(const auto file, MappedFile::open(path));
      return deserialize(file.bytes(), path.string());
    }
    PELT_ASSIGN(const auto bytes, read_file(path));
    return deserialize(bytes, path.string());
  });
}

}  // namespace pelt
