// SPDX-License-Identifier: MIT
#include "engine/authoring/model/obj/materials.h"

#include <fmt/format.h>
#include <tiny_obj_loader.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "engine/authoring/base/name_list.h"
#include "engine/authoring/model/beside.h"
#include "engine/authoring/model/gltf/image.h"
#include "engine/authoring/model/obj/lines.h"

namespace pelt {
namespace {

constexpr std::uint64_t kMaxLibraryBytes = std::uint64_t{16} << 20;  // of all libraries
constexpr std::uint64_t kMaxImageBytes = std::uint64_t{256} << 20;   // of all images

// Returns the count of numbers in a library's line with this keyword; 0: the line is not read.
std::size_t numbers_of(std::string_view keyword) {
  if (keyword == "Kd") return 3;
  return keyword == "d" || keyword == "Tr" ? 1 : 0;
}

// Spectra, other colour spaces, and opacity by angle are rare.
bool is_other_form(std::string_view values) {
  return values.starts_with("spectral") || values.starts_with("xyz") || values.starts_with("-halo");
}

// Returns the lines for the parser, each valid by itself: those of the wanted materials, which are then removed from
// the wanted ones.
Result<std::string> checked_lines(std::string_view file, const std::string& source,
                                  std::set<std::string, std::less<>>& wanted) {
  std::string text;
  bool is_wanted = false;
  if (is_utf16(file)) return fail(ErrorCode::kInvalidFile, fmt::format("{}: is UTF-16; save it as UTF-8", source));
  for (ObjLines lines(file); !lines.at_end();) {
    const std::string_view line = lines.next();
    const auto refuse = [&](const std::string& why) {
      return fail(ErrorCode::kInvalidFile, fmt::format("{}:{}: {}", source, lines.number(), why));
    };
    if (line.find('\0') != std::string_view::npos) return refuse("contains a zero byte");
    std::string_view rest = line;
    const std::string_view keyword = next_token(rest);
    const std::size_t numbers = numbers_of(keyword);
    if (numbers == 0 && keyword != "newmtl" && keyword != "map_Kd") continue;
    if (keyword == "newmtl") {
      const auto found = wanted.find(unquoted(rest));
      is_wanted = found != wanted.end() && !found->empty();
      if (!is_wanted) continue;
      text.append("newmtl ").append(*found).push_back('\n');
      wanted.erase(found);
      continue;
    }
    if (numbers > 0 && is_other_form(trimmed(rest))) continue;
    for (std::size_t n = 0; n < numbers; ++n) {
      const std::string_view token = next_value(rest);
      if (token.empty()) return refuse(fmt::format("{} has {} numbers and needs {}", keyword, n, numbers));
      if (!obj_number(token)) {
        return refuse(fmt::format("number {} of {} must be a number within {:g} of 0", n + 1, keyword, kMaxCoordinate));
      }
    }
    if (is_wanted) text.append(trimmed(line)).push_back('\n');
  }
  return text;
}

class MaterialReader {
 public:
  MaterialReader(const std::filesystem::path& obj, std::span<const std::string> names,
                 std::vector<std::filesystem::path>* beside, NamedFiles files)
      : folder_(obj.parent_path()), names_(names), wanted_(names.begin(), names.end()), beside_(beside), files_(files) {
    for (const std::string& name : names) wanted_.emplace(before_hash(name));
  }

  // Reads the libraries of a mtllib line: one file, whose name may have spaces, or several.
  Result<void> read(const std::string& line) {
    const std::string one(unquoted(line));
    if (one != line || one.find_first_of(kObjSpace) == std::string::npos || exists(slashed(one))) {
      return read_library(one);
    }
    std::string_view rest = line;
    for (std::string_view name = next_name(rest); !name.empty(); name = next_name(rest)) {
      PELT_TRY(read_library(std::string(name)));
    }
    return {};
  }

  ObjMaterials take() {
    NameList unknown;
    for (const std::string& name : names_) {
      Material& material = result_.materials.emplace_back();
      material.name = name;
      auto found = number_.find(name);
      if (found == number_.end()) found = number_.find(std::string(before_hash(name)));
      if (found != number_.end()) {
        material.name = found->first;
        fill(parsed_[static_cast<std::size_t>(found->second)], material);
      } else {
        unknown.add(name);
      }
    }
    if (!unknown.empty()) note(fmt::format("materials in no file, which become grey: {}", unknown.text()));
    if (!clamped_.empty()) {
      note(fmt::format("materials with colour or opacity outside 0 to 1, which are clamped: {}", clamped_.text()));
    }
    if (!left_out_.empty()) note(fmt::format("textures that are not read: {}", left_out_.text()));
    return std::move(result_);
  }

 private:
  void note(std::string sentence) { result_.notes.push_back(std::move(sentence)); }

  bool exists(const std::string& name) const {
    std::error_code ignored;
    return std::filesystem::exists(folder_ / name, ignored);
  }

  // Returns the name of a file with slashes if only that exists: programs for Windows write backslashes.
  std::string slashed(const std::string& name) const {
    std::string other = name;
    std::ranges::replace(other, '\\', '/');
    return exists(name) || why_not_beside(other) != nullptr || !exists(other) ? name : other;
  }

  Result<void> read_library(const std::string& given) {
    const std::string name = slashed(given);
    if (const char* wrong = why_not_beside(folder_, name, files_)) {
      note(fmt::format("materials are not read: the file name '{}' {}", name.substr(0, 200), wrong));
      return {};
    }
    const std::filesystem::path path = folder_ / name;
    if (!known_.insert(path).second) return {};
    if (beside_ != nullptr) beside_->push_back(path);
    const auto bytes = read_file(path, kMaxLibraryBytes - library_bytes_);
    if (!bytes) {
      note(fmt::format("materials are not read: {}", bytes.error().message));
      return {};
    }
    library_bytes_ += bytes->size();
    PELT_ASSIGN(const std::string text,
                checked_lines({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, path.string(), wanted_));
    if (text.empty()) return {};  // the parser would make a material without a name
    std::istringstream stream(text);
    tinyobj::LoadMtl(&number_, &parsed_, &stream, nullptr, nullptr);
    return {};
  }

  void fill(const tinyobj::material_t& parsed, Material& material) {
    const glm::vec4 color(parsed.diffuse[0], parsed.diffuse[1], parsed.diffuse[2], parsed.dissolve);
    material.base_color = glm::clamp(color, 0.0f, 1.0f);
    if (material.base_color != color) clamped_.add(material.name);
    if (!parsed.diffuse_texname.empty()) material.base_color_image = read_image(parsed.diffuse_texname);
  }

  // Returns the number of an image; -1 if it cannot be read.
  std::int32_t read_image(const std::string& given) {
    const std::string name = slashed(std::string(unquoted(given)));
    const auto [known, is_new] = image_of_.try_emplace(name, -1);
    if (!is_new) return known->second;
    const auto leave_out = [&] {
      left_out_.add(name);
      return -1;
    };
    if (why_not_beside(folder_, name, files_) != nullptr) return leave_out();
    if (beside_ != nullptr) beside_->push_back(folder_ / name);
    const auto bytes = read_file(folder_ / name, kMaxImageBytes - image_bytes_);
    if (!bytes) return leave_out();
    image_bytes_ += bytes->size();
    const std::string_view type = image_type(*bytes);
    if (type != "image/png" && type != "image/jpeg") return leave_out();
    const auto* first = reinterpret_cast<const std::uint8_t*>(bytes->data());
    known->second = static_cast<std::int32_t>(result_.images.size());
    result_.images.push_back({name.substr(0, 100), {first, first + bytes->size()}});
    return known->second;
  }

  std::filesystem::path folder_;
  std::span<const std::string> names_;
  std::set<std::string, std::less<>> wanted_;  // names that no library had yet
  std::vector<std::filesystem::path>* beside_;
  NamedFiles files_;
  std::set<std::filesystem::path> known_;  // libraries that are read, or cannot be
  std::uint64_t library_bytes_ = 0;
  std::map<std::string, int> number_;  // in parsed_, of each name
  std::vector<tinyobj::material_t> parsed_;
  std::map<std::string, std::int32_t> image_of_;  // by file name
  std::uint64_t image_bytes_ = 0;                 // read, including textures that are left out
  NameList left_out_;
  NameList clamped_;
  ObjMaterials result_;
};

}  // namespace

Result<ObjMaterials> read_obj_materials(const std::filesystem::path& obj, std::span<const std::string> names,
                                        std::span<const std::string> libraries,
                                        std::vector<std::filesystem::path>* beside, NamedFiles files) {
  MaterialReader reader(obj, names, beside, files);
  for (const std::string& library : libraries) {
    PELT_TRY(reader.read(library));
  }
  return reader.take();
}

}  // namespace pelt
