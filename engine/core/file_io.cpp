// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "engine/core/formatted.h"

namespace pelt {

Result<std::uintmax_t> size_of_file(const std::filesystem::path& path, std::uint64_t limit) {
  std::error_code code;
  if (!std::filesystem::exists(path, code))
    return fail(ErrorCode::kNotFound, formatted("{}: no such file", path.string()));
  if (!std::filesystem::is_regular_file(path, code)) {
    return fail(ErrorCode::kReadFailed, formatted("{}: not a regular file", path.string()));
  }
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  if (code) return fail(ErrorCode::kReadFailed, formatted("{}: {}", path.string(), code.message()));
  if (size > limit) {
    return fail(ErrorCode::kUnsupported,
                formatted("{}: {} bytes, more than the limit of {}", path.string(), size, limit));
  }
  return size;
}

Result<std::vector<std::byte>> read_file(const std::filesystem::path& path, std::uint64_t limit) {
  PELT_ASSIGN(const std::uintmax_t size, size_of_file(path, limit));
  std::ifstream stream(path, std::ios::binary);
  std::vector<std::byte> bytes(size);
  if (!stream || !stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
    return fail(ErrorCode::kReadFailed, formatted("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  }
  return bytes;
}

Result<OutputFile> OutputFile::create(const std::filesystem::path& path) {
  OutputFile file;
  file.path_ = path;
  std::error_code code;
  if (std::filesystem::exists(path, code) && !std::filesystem::is_regular_file(path, code)) {
    return file.failed("not a regular file");
  }
  std::filesystem::path temporary = path;
  temporary += formatted(".{}.tmp", ::getpid());
  file.stream_.open(temporary, std::ios::binary | std::ios::trunc);
  if (!file.stream_) return file.failed(std::strerror(errno));
  file.temporary_ = std::move(temporary);
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      stream_(std::move(other.stream_)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(temporary_, other.temporary_);
  std::swap(stream_, other.stream_);
  return *this;
}

OutputFile::~OutputFile() {
  if (temporary_.empty()) return;
  stream_.close();
  std::error_code code;
  std::filesystem::remove(temporary_, code);
}

tl::unexpected<Error> OutputFile::failed(const std::string& why) const {
  return fail(ErrorCode::kWriteFailed, formatted("{}: cannot be written: {}", path_.string(), why));
}

Result<void> OutputFile::write(std::span<const std::byte> bytes) {
  stream_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!stream_) return failed(std::strerror(errno));
  return {};
}

Result<void> OutputFile::commit() {
  stream_.close();
  if (!stream_) return failed(std::strerror(errno));
  std::error_code code;
  std::filesystem::rename(temporary_, path_, code);
  if (code) return failed(code.message());
  temporary_.clear();
  return {};
}

Result<void> write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  PELT_ASSIGN(auto file, OutputFile::create(path));
  PELT_TRY(file.write(bytes));
  return file.commit();
}

}  // namespace pelt
