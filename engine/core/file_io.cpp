// SPDX-License-Identifier: MIT
#include "engine/core/file_io.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace pelt {

Result<std::vector<std::byte>> read_file(const std::filesystem::path& path, std::uint64_t limit) {
  std::error_code code;
  if (!std::filesystem::exists(path, code))
    return fail(ErrorCode::kNotFound, fmt::format("{}: no such file", path.string()));
  if (!std::filesystem::is_regular_file(path, code)) {
    return fail(ErrorCode::kReadFailed, fmt::format("{}: not a regular file", path.string()));
  }
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  if (code) return fail(ErrorCode::kReadFailed, fmt::format("{}: {}", path.string(), code.message()));
  if (size > limit) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("{}: {} bytes, more than the limit of {}", path.string(), size, limit));
  }
  std::ifstream stream(path, std::ios::binary);
  std::vector<std::byte> bytes(size);
  if (!stream || !stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
    return fail(ErrorCode::kReadFailed, fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  }
  return bytes;
}

Result<void> write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::filesystem::path temporary = path;
  temporary += fmt::format(".{}.tmp", ::getpid());
  std::error_code code;
  {
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) {
      const int reason = errno;
      std::filesystem::remove(temporary, code);
      return fail(ErrorCode::kWriteFailed,
                  fmt::format("{}: cannot be written: {}", path.string(), std::strerror(reason)));
    }
  }
  std::filesystem::rename(temporary, path, code);
  if (code) {
    const std::string reason = code.message();
    std::filesystem::remove(temporary, code);
    return fail(ErrorCode::kWriteFailed, fmt::format("{}: cannot be written: {}", path.string(), reason));
  }
  return {};
}

}  // namespace pelt
