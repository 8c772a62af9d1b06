// SPDX-License-Identifier: MIT
#include "engine/authoring/model/obj/polygons.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tiny_obj_loader.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "engine/authoring/base/name_list.h"
#include "engine/authoring/model/obj/lines.h"

namespace pelt {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{512} << 20;
constexpr std::size_t kMaxCorners = 1000;  // of one face: worst-case splitting takes cubic time
// A line of eight bytes takes a hundred of memory: these bound it at about 2 GiB.
constexpr std::size_t kMaxPoints = 16'000'000;
constexpr std::size_t kMaxAllCorners = 32'000'000;
constexpr std::size_t kMaxMaterials = 10'000;  // named by usemtl lines
constexpr std::size_t kMaxLibraries = 1'000;   // words in different mtllib lines
constexpr std::size_t kMaxName = 4096;

// A corner of a face, or a vertex of another element, as in the file: position/uv/normal. Numbers count from 1, or back
// from the last one if below 0; 0: none.
struct CornerNumbers {
  int position = 0, uv = 0, normal = 0;
};

// Returns none if the text is no corner.
std::optional<CornerNumbers> parse_corner(std::string_view token) {
  CornerNumbers corner;
  int* const parts[] = {&corner.position, &corner.uv, &corner.normal};
  for (std::size_t p = 0; p < std::size(parts); ++p) {
    const std::string_view part = token.substr(0, token.find('/'));
    const auto end = std::from_chars(part.data(), part.data() + part.size(), *parts[p]);
    const bool is_number = end.ec == std::errc{} && end.ptr == part.data() + part.size() && *parts[p] != 0;
    if (!is_number && (p == 0 || !part.empty())) return std::nullopt;
    if (part.size() == token.size()) return corner;
    token.remove_prefix(part.size() + 1);
  }
  return std::nullopt;
}

// The contents of unread lines, by keyword. "v" represents more than four numbers, "w" a fourth.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kUnread{{
    {"v", "vertex colours (v x y z r g b)"},
    {"w", "a fourth coordinate (v x y z w)"},
    {"o", "objects (o), which become one mesh"},
    {"g", "groups (g), which become one mesh"},
    {"s", "smoothing groups (s)"},
    {"l", "lines (l)"},
    {"vp", "curves and surfaces (vp)"},
    {"cstype", "curves and surfaces (cstype)"},
}};

bool is_known(std::string_view keyword) {
  return std::ranges::any_of(kUnread, [&](const auto& entry) { return entry.first == keyword; });
}

// Collects the keywords of unread lines.
class Unread {
 public:
  void add(std::string_view keyword) {
    constexpr std::size_t kMax = 100;  // most unknown keywords to store
    if (!contains(keyword) && (is_known(keyword) || keywords_.size() < kMax)) keywords_.emplace(keyword);
  }

  bool contains(std::string_view keyword) const { return keywords_.contains(keyword); }

  // Describes the lines in words; unknown keywords appear by name.
  std::string text() const {
    std::vector<std::string> parts;
    for (const auto& [keyword, words] : kUnread) {
      if (contains(keyword)) parts.emplace_back(words);
    }
    NameList others;
    for (const std::string& keyword : keywords_) {
      if (!is_known(keyword)) others.add(keyword);
    }
    if (!others.empty()) parts.push_back(fmt::format("lines of {}", others.text()));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

 private:
  std::set<std::string, std::less<>> keywords_;
};

// The kinds of points in corners, in the order of a corner's numbers.
constexpr std::array<std::string_view, 3> kPointWords{"vertex", "texture coordinates", "normal"};
using PointCounts = std::array<std::int64_t, 3>;

// The lines for the parser, each valid by itself. Elements without faces, p and l, only name positions.
struct Lines {
  std::string text;
  std::vector<std::size_t> face_numbers;  // the line of the file with each face
  std::vector<std::int32_t> materials;    // of each face
  std::vector<std::string> material_names;
  std::vector<std::string> libraries;
  std::vector<float> lost;  // by each position, to rounding
  std::size_t missing_uvs = 0;
  std::size_t missing_normals = 0;
  std::int64_t positions = 0;   // number of v lines
  std::int64_t last_named = 0;  // the highest position that p and l name, from 1
  std::size_t last_number = 0;  // the line that names it
  Unread unread;
};

// The required and the readable count of numbers in a line of points.
struct PointNumbers {
  std::size_t least = 0, most = 0;
};
PointNumbers numbers_of_points(std::string_view keyword) {
  if (keyword == "v" || keyword == "vn") return {3, 3};
  return keyword == "vt" ? PointNumbers{1, 2} : PointNumbers{};
}

class LineChecker {
 public:
  LineChecker(const std::string& source, Lines& lines) : source_(source), lines_(lines) {}

  Result<void> check(std::string_view file) {
    if (is_utf16(file)) return fail(ErrorCode::kInvalidFile, fmt::format("{}: is UTF-16; save it as UTF-8", source_));
    for (ObjLines lines(file); !lines.at_end();) {
      const std::string_view line = lines.next();
      number_ = lines.number();
      PELT_TRY(check_line(line));
    }
    if (lines_.last_named > lines_.positions) {
      number_ = lines_.last_number;
      return refuse("names vertex {}, but there are only {}", lines_.last_named, lines_.positions);
    }
    return {};
  }

 private:
  template <class... Arguments>
  tl::unexpected<Error> refuse(fmt::format_string<Arguments...> why, Arguments&&... arguments) const {
    return fail(ErrorCode::kInvalidFile,
                fmt::format("{}:{}: {}", source_, number_, fmt::format(why, std::forward<Arguments>(arguments)...)));
  }

  Result<void> bound(std::size_t count, std::string_view what, std::size_t limit) const {
    if (count <= limit) return {};
    return fail(ErrorCode::kUnsupported,
                fmt::format("{}:{}: {} {}, more than the limit of {}", source_, number_, count, what, limit));
  }

  Result<void> check_line(std::string_view line) {
    // The parser would end the line at the zero byte.
    if (line.find('\0') != std::string_view::npos) return refuse("contains a zero byte");
    std::string_view rest = line;
    const std::string_view keyword = next_token(rest);
    if (keyword.empty()) return {};
    if (numbers_of_points(keyword).most > 0) {
      PELT_TRY(bound(++points_, "points", kMaxPoints));
      if (is_missing(keyword, rest)) {
        ++(keyword == "vn" ? lines_.missing_normals : lines_.missing_uvs);
        lines_.text.append(keyword).append(" 0 0 0\n");
        return {};
      }
      return check_points(keyword, rest);
    }
    return keyword == "f" ? check_face(rest) : check_other(keyword, rest);
  }

  // Programs write NaN for normals and texture coordinates of faces without area. Positions must be finite.
  static bool is_missing(std::string_view keyword, std::string_view rest) {
    if (keyword == "v") return false;
    for (std::string_view token = next_value(rest); !token.empty(); token = next_value(rest)) {
      if (is_not_finite(token)) return true;
    }
    return false;
  }

  Result<void> check_points(std::string_view keyword, std::string_view rest) {
    const PointNumbers numbers = numbers_of_points(keyword);
    std::size_t count = 0;
    double lost = 0;
    lines_.text.append(keyword);
    for (std::string_view token = next_value(rest); !token.empty(); token = next_value(rest)) {
      if (++count > numbers.most) continue;
      const std::optional<double> number = obj_number(token);
      if (!number) return refuse("coordinate {} must be a number within {:g} of 0", count, kMaxCoordinate);
      lost = std::max(lost, std::abs(*number - static_cast<double>(static_cast<float>(*number))));
      lines_.text.append(" ").append(token);
    }
    lines_.text.push_back('\n');
    if (count < numbers.least) return refuse("{} coordinates, but {} are needed", count, numbers.least);
    if (keyword != "v") return {};
    ++lines_.positions;
    lines_.lost.push_back(static_cast<float>(lost));
    if (count > 3) lines_.unread.add(count == 4 ? "w" : "v");
    return {};
  }

  Result<void> check_face(std::string_view rest) {
    std::size_t count = 0;
    lines_.text.push_back('f');
    for (std::string_view token = next_value(rest); !token.empty(); token = next_value(rest)) {
      if (!parse_corner(token)) return refuse("corner {} names no vertex", count + 1);
      // After a slash at the end of a corner, the parser would continue with the next corner.
      lines_.text.append(" ").append(token.substr(0, token.find_last_not_of('/') + 1));
      ++count;
    }
    lines_.text.push_back('\n');
    if (count < 3) return refuse("{} corners, but 3 are needed", count);
    PELT_TRY(bound(count, "corners of a face", kMaxCorners));
    PELT_TRY(bound(corners_ += count, "corners of faces", kMaxAllCorners));
    lines_.face_numbers.push_back(number_);
    lines_.materials.push_back(material_);
    return {};
  }

  // Checks the positions of elements without faces, stores materials by name, and notes everything else.
  Result<void> check_other(std::string_view keyword, std::string_view rest) {
    if (keyword == "usemtl") {
      return use_material(unquoted(rest));
    } else if (keyword == "mtllib") {
      return add_library(trimmed(rest));
    } else if (keyword == "p" || keyword == "l") {
      if (keyword == "l") lines_.unread.add(keyword);
      return check_element(rest);
    } else {
      lines_.unread.add(keyword);
    }
    return {};
  }

  Result<void> use_material(std::string_view name) {
    PELT_TRY(bound(name.size(), "bytes in a name", kMaxName));
    const auto [known, is_new] =
        material_of_.try_emplace(std::string(name), static_cast<std::int32_t>(material_of_.size()));
    material_ = known->second;
    if (is_new) lines_.material_names.push_back(known->first);
    return bound(material_of_.size(), "materials", kMaxMaterials);
  }

  Result<void> add_library(std::string_view names) {
    PELT_TRY(bound(names.size(), "bytes in a name", kMaxName));
    if (!known_libraries_.emplace(names).second) return {};
    lines_.libraries.emplace_back(names);
    while (!next_token(names).empty()) ++libraries_;
    return bound(libraries_, "names of material files", kMaxLibraries);
  }

  Result<void> check_element(std::string_view rest) {
    std::size_t count = 0;
    for (std::string_view token = next_value(rest); !token.empty(); token = next_value(rest)) {
      ++count;
      const std::optional<CornerNumbers> corner = parse_corner(token);
      if (!corner || lines_.positions + corner->position < 0) return refuse("point {} names no vertex", count);
      if (corner->position > lines_.last_named) {
        lines_.last_named = corner->position;
        lines_.last_number = number_;
      }
    }
    return {};
  }

  const std::string& source_;
  Lines& lines_;
  std::size_t number_ = 0;
  std::int32_t material_ = -1;
  std::map<std::string, std::int32_t> material_of_;  // by name
  std::set<std::string> known_libraries_;            // by line
  std::size_t libraries_ = 0;
  std::size_t points_ = 0;
  std::size_t corners_ = 0;
};

// The parser's result: corners name points by numbers from 0, not yet checked; kNoPoint: none.
constexpr std::int64_t kNoPoint = std::numeric_limits<std::int64_t>::min();
struct Faces {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec2> uvs;
  std::vector<glm::vec3> normals;
  std::vector<PointCounts> corners;
  std::vector<std::size_t> ends;  // end of each face in `corners`

  PointCounts counts() const {
    const auto size = [](const auto& points) { return static_cast<std::int64_t>(points.size()); };
    return {size(positions), size(uvs), size(normals)};
  }
};

Faces parse(const std::string& text) {
  tinyobj::callback_t callbacks;
  callbacks.vertex_cb = [](void* to, float x, float y, float z, float) {
    static_cast<Faces*>(to)->positions.emplace_back(x, y, z);
  };
  callbacks.texcoord_cb = [](void* to, float x, float y, float) { static_cast<Faces*>(to)->uvs.emplace_back(x, y); };
  callbacks.normal_cb = [](void* to, float x, float y, float z) {
    static_cast<Faces*>(to)->normals.emplace_back(x, y, z);
  };
  callbacks.index_cb = [](void* to, tinyobj::index_t* indices, int count) {
    Faces& faces = *static_cast<Faces*>(to);
    const PointCounts counts = faces.counts();
    for (int i = 0; i < count; ++i) {
      const std::array<int, 3> numbers{indices[i].vertex_index, indices[i].texcoord_index, indices[i].normal_index};
      PointCounts& corner = faces.corners.emplace_back();
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        // Numbers count from 1, or back from the last point before the face.
        corner[k] = numbers[k] == 0 ? kNoPoint : numbers[k] > 0 ? numbers[k] - 1 : counts[k] + numbers[k];
      }
    }
    faces.ends.push_back(faces.corners.size());
  };
  Faces faces;
  std::istringstream stream(text);
  tinyobj::LoadObjWithCallback(stream, callbacks, &faces);
  return faces;
}

}  // namespace

Result<ObjPolygons> read_obj_polygons(const std::filesystem::path& path) {
  const std::string source = path.string();
  PELT_ASSIGN(const auto bytes, read_file(path, kMaxBytes));
  // Only checked lines reach the parser, so it meets no materials, tags or invalid text.
  Lines lines;
  PELT_TRY(LineChecker(source, lines).check({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  Faces faces = parse(lines.text);
  if (faces.positions.empty()) return fail(ErrorCode::kInvalidFile, fmt::format("{}: has no vertex", source));

  // The parser must find the checked faces.
  bool as_checked = faces.ends.size() == lines.face_numbers.size();
  for (std::size_t f = 0; f < faces.ends.size(); ++f) {
    as_checked = as_checked && faces.ends[f] - (f == 0 ? 0 : faces.ends[f - 1]) >= 3;
  }
  if (!as_checked) return fail(ErrorCode::kInvalidFile, fmt::format("{}: its faces cannot be read", source));

  ObjPolygons polygons;
  std::vector<std::uint32_t>* const corners[] = {&polygons.corners, &polygons.corner_uvs, &polygons.corner_normals};
  const PointCounts counts = faces.counts();
  for (std::size_t c = 0, f = 0; c < faces.corners.size(); ++c) {
    while (c >= faces.ends[f]) ++f;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      const std::int64_t point = faces.corners[c][k];
      if (point != kNoPoint && (point < 0 || point >= counts[k])) {
        return fail(ErrorCode::kInvalidFile, fmt::format("{}:{}: names {} {}, but there are only {}", source,
                                                         lines.face_numbers[f], kPointWords[k], point + 1, counts[k]));
      }
      corners[k]->push_back(point == kNoPoint ? ObjPolygons::kNone : static_cast<std::uint32_t>(point));
    }
  }
  polygons.positions = std::move(faces.positions);
  polygons.lost = std::move(lines.lost);
  polygons.uvs = std::move(faces.uvs);
  polygons.normals = std::move(faces.normals);
  polygons.ends = std::move(faces.ends);
  polygons.materials = std::move(lines.materials);
  polygons.material_names = std::move(lines.material_names);
  polygons.libraries = std::move(lines.libraries);
  polygons.missing_uvs = lines.missing_uvs;
  polygons.missing_normals = lines.missing_normals;
  polygons.unread = lines.unread.text();
  return polygons;
}

}  // namespace pelt
