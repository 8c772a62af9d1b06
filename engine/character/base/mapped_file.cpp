// SPDX-License-Identifier: MIT
#include "engine/character/base/mapped_file.h"

#include <system_error>
#include <utility>

#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/lean_windows.h"

#ifndef _WIN32
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace pelt {

namespace {

#ifdef _WIN32

std::error_code last_error() { return {static_cast<int>(GetLastError()), std::system_category()}; }

// Maps the first `size` bytes; returns null and sets the error if it fails.
const void* map(const std::filesystem::path& path, std::size_t size, std::error_code& code) {
  const HANDLE file =
      CreateFileW(path.c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  const void* mapped = nullptr;
  if (file == INVALID_HANDLE_VALUE) {
    code = last_error();
    return nullptr;
  }
  LARGE_INTEGER found;
  if (GetFileSizeEx(file, &found) == 0 || static_cast<std::uint64_t>(found.QuadPart) < size) {
    code = std::make_error_code(std::errc::io_error);
    CloseHandle(file);
    return nullptr;
  }
  const HANDLE mapping = CreateFileMappingW(file, nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (mapping != nullptr) mapped = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size);
  if (mapped == nullptr) code = last_error();
  // The view keeps both handles' objects alive.
  if (mapping != nullptr) CloseHandle(mapping);
  CloseHandle(file);
  return mapped;
}

void unmap(std::span<const std::byte> bytes) { UnmapViewOfFile(bytes.data()); }

#else

std::error_code last_error() { return {errno, std::system_category()}; }

// Maps the first `size` bytes; returns null and sets the error if it fails.
const void* map(const std::filesystem::path& path, std::size_t size, std::error_code& code) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    code = last_error();
    return nullptr;
  }
  // The file may have been replaced after its size was read.
  struct stat found {};
  if (::fstat(file, &found) != 0 || !S_ISREG(found.st_mode) || static_cast<std::uint64_t>(found.st_size) < size) {
    code = std::make_error_code(std::errc::io_error);
    ::close(file);
    return nullptr;
  }
#ifdef MAP_POPULATE
  constexpr int kAtOnce = MAP_POPULATE;  // all of it will be read
#else
  constexpr int kAtOnce = 0;
#endif
  const void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | kAtOnce, file, 0);
  if (mapped == MAP_FAILED) {
    code = last_error();
    mapped = nullptr;
  }
  ::close(file);
  return mapped;
}

void unmap(std::span<const std::byte> bytes) { ::munmap(const_cast<std::byte*>(bytes.data()), bytes.size()); }

#endif

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path, std::uint64_t limit) {
  PELT_ASSIGN(const std::uintmax_t size, size_of_file(path, limit));
  MappedFile file;
  if (size == 0) return file;  // an empty file cannot be mapped, and need not be
  std::error_code code;
  const void* mapped = map(path, static_cast<std::size_t>(size), code);
  if (mapped == nullptr) {
    return fail(ErrorCode::kReadFailed, formatted("{}: cannot be read: {}", path.string(), code.message()));
  }
  file.bytes_ = {static_cast<const std::byte*>(mapped), static_cast<std::size_t>(size)};
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) unmap(bytes_);
}

}  // namespace pelt
