// SPDX-License-Identifier: MIT
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <system_error>
#include <utility>

#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"

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

namespace {

using NativeChar = std::filesystem::path::value_type;

// The names of open temporary files, for a signal handler: process-wide, as signals are. Whoever takes a name out of
// the list owns it.
std::array<std::atomic<NativeChar*>, 64> unfinished{};

// Returns the index of the name in the list, or the list's size if the list is full.
std::size_t remember(const std::filesystem::path& temporary) {
  const auto& text = temporary.native();
  auto name = std::make_unique<NativeChar[]>(text.size() + 1);  // with the terminating zero
  std::copy(text.begin(), text.end(), name.get());
  for (std::size_t place = 0; place < unfinished.size(); ++place) {
    NativeChar* none = nullptr;
    if (!unfinished[place].compare_exchange_strong(none, name.get())) continue;
    name.release();
    return place;
  }
  return unfinished.size();
}

void forget(std::size_t place) {
  if (place < unfinished.size()) delete[] unfinished[place].exchange(nullptr);  // null if a handler has taken it
}

// Creates a new file. Returns null and sets errno if it exists or cannot be created.
std::FILE* create_new(const std::filesystem::path& path) {
#ifdef _WIN32
  const int file =
      ::_wopen(path.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
  std::FILE* const stream = file < 0 ? nullptr : ::_fdopen(file, "wb");
  if (file >= 0 && stream == nullptr) {
    ::_close(file);
    ::_wunlink(path.c_str());
    errno = ENOMEM;
  }
#else
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  std::FILE* const stream = file < 0 ? nullptr : ::fdopen(file, "wb");
  if (file >= 0 && stream == nullptr) {
    ::close(file);
    ::unlink(path.c_str());
    errno = ENOMEM;
  }
#endif
  return stream;
}

// Waits until the file is on the disk, so that a crash cannot leave a new name with old or missing bytes.
bool flush_to_disk(std::FILE* file) {
  if (std::fflush(file) != 0) return false;
#ifdef _WIN32
  return ::_commit(::_fileno(file)) == 0;
#else
  // Some file systems cannot sync and return these errors.
  return ::fsync(::fileno(file)) == 0 || errno == EINVAL || errno == ENOTSUP;
#endif
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::filesystem::path& path) {
  constexpr int kTries = 16;
  OutputFile file;
  file.path_ = path;
  std::error_code code;
  if (std::filesystem::exists(path, code) && !std::filesystem::is_regular_file(path, code)) {
    return file.failed("not a regular file");
  }
  std::random_device random;
  for (int i = 0; i < kTries; ++i) {
    std::filesystem::path temporary = path;
    temporary += formatted(".{}{}.tmp", std::uint32_t{random()}, std::uint32_t{random()});
    // Listed before it is created, so that a signal in between leaves no file.
    file.remembered_ = remember(temporary);
    file.file_.reset(create_new(temporary));
    if (file.file_) {
      file.temporary_ = std::move(temporary);
      break;
    }
    const int why = errno;
    forget(file.remembered_);
    if (why != EEXIST || i + 1 == kTries) return file.failed(std::strerror(why));
  }
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      remembered_(other.remembered_),
      file_(std::move(other.file_)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(temporary_, other.temporary_);
  std::swap(remembered_, other.remembered_);
  std::swap(file_, other.file_);
  return *this;
}

OutputFile::~OutputFile() { remove_temporary(); }

void OutputFile::remove_temporary() {
  file_.reset();
  if (temporary_.empty()) return;
  std::error_code code;
  std::filesystem::remove(temporary_, code);
  forget(remembered_);
  temporary_.clear();
}

tl::unexpected<Error> OutputFile::failed(const std::string& why) const {
  return fail(ErrorCode::kWriteFailed, formatted("{}: cannot be written: {}", path_.string(), why));
}

Result<void> OutputFile::write(std::span<const std::byte> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) return failed(std::strerror(errno));
  return {};
}

Result<void> OutputFile::commit() {
  if (!flush_to_disk(file_.get()) || std::fclose(file_.release()) != 0) return failed(std::strerror(errno));
  std::error_code code;
  std::filesystem::rename(temporary_, path_, code);
  if (code) return failed(code.message());
  forget(remembered_);
  temporary_.clear();
  return {};
}

void remove_unfinished_files() noexcept {
  for (std::atomic<NativeChar*>& slot : unfinished) {
    // The name is never freed: a handler must not free memory, and the process ends.
    if (const NativeChar* const name = slot.exchange(nullptr)) {
#ifdef _WIN32
      ::_wunlink(name);
#else
      ::unlink(name);
#endif
    }
  }
}

Result<void> write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  PELT_ASSIGN(auto file, OutputFile::create(path));
  PELT_TRY(file.write(bytes));
  return file.commit();
}

}  // namespace pelt
