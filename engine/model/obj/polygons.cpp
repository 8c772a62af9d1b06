// SPDX-License-Identifier: MIT
#include "engine/model/obj/polygons.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tiny_obj_loader.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pelt/mesh.h>
#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "engine/core/name_list.h"

namespace pelt {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{512} << 20;
constexpr std::size_t kMaxCorners = 1000;  // of one face: splitting takes cubic time at worst

// Returns true for numbers that the format allows here; the parser would take anything else for 0.
bool is_number(std::string_view token) {
  if (token.starts_with('+')) token.remove_prefix(1);
  double value = 0;
  const auto end = std::from_chars(token.data(), token.data() + token.size(), value);
  return end.ec == std::errc{} && end.ptr == token.data() + token.size() && std::abs(value) <= kFarthest;
}

// Returns the position that a corner names: from 1, or back from the last one if below 0; 0: none.
int position_of(std::string_view corner) {
  const std::string_view position = corner.substr(0, corner.find('/'));
  int value = 0;
  const auto end = std::from_chars(position.data(), position.data() + position.size(), value);
  return end.ec == std::errc{} && end.ptr == position.data() + position.size() ? value : 0;
}

// Takes the first token off a line.
std::string_view next_token(std::string_view& line) {
  constexpr std::string_view kSpace = " \t";
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  const std::string_view token = line.substr(0, line.find_first_of(kSpace));
  line.remove_prefix(token.size());
  return token;
}

// The contents of lines that are not read, by keyword. "v" stands for more than four numbers, "w" for a fourth.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kUnread{{
    {"vt", "texture coordinates (vt)"},
    {"vn", ""},  // ObjPolygons::has_normals
    {"v", "vertex colours (v x y z r g b)"},
    {"w", "a fourth coordinate (v x y z w)"},
    {"usemtl", "materials (usemtl)"},
    {"mtllib", "the file of materials (mtllib)"},
    {"o", "objects (o), which become one mesh"},
    {"g", "groups (g), which become one mesh"},
    {"s", "smoothing groups (s)"},
    {"l", "lines (l)"},
    {"vp", "curves and surfaces (vp)"},
    {"cstype", "curves and surfaces (cstype)"},
}};

bool is_known(std::string_view keyword) {
  return std::any_of(kUnread.begin(), kUnread.end(), [&](const auto& entry) { return entry.first == keyword; });
}

// Collects the keywords of lines that are not read.
class Unread {
 public:
  void add(std::string_view keyword) {
    constexpr std::size_t kMax = 100;  // most unknown keywords that are kept
    if (!contains(keyword) && (is_known(keyword) || keywords_.size() < kMax)) keywords_.emplace(keyword);
  }

  bool contains(std::string_view keyword) const { return keywords_.contains(keyword); }

  // Describes the lines in words; unknown keywords appear by name.
  std::string text() const {
    std::vector<std::string> parts;
    for (const auto& [keyword, words] : kUnread) {
      if (!words.empty() && contains(keyword)) parts.emplace_back(words);
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

// The v and f lines of a file, each valid by itself. Elements without faces, p and l, only name positions.
struct Lines {
  std::string text;
  std::vector<std::size_t> face_numbers;  // the line of the file that holds each face
  std::int64_t positions = 0;             // number of v lines
  std::int64_t last_named = 0;            // the highest position that p and l name, from 1
  std::size_t last_number = 0;            // the line that names it
  Unread unread;
};

Result<Lines> check_lines(std::string_view file, const std::string& source) {
  Lines lines;
  std::size_t number = 0;
  while (!file.empty()) {
    ++number;
    const std::size_t length = std::min(file.find_first_of("\r\n"), file.size());
    const std::string_view line = file.substr(0, length);
    file.remove_prefix(length);
    file.remove_prefix(file.starts_with("\r\n") ? 2 : std::min<std::size_t>(file.size(), 1));

    const auto refuse = [&](const std::string& why) {
      return fail(ErrorCode::kInvalidFile, fmt::format("{}:{}: {}", source, number, why));
    };
    // The parser would end the line at the zero byte.
    if (line.find('\0') != std::string_view::npos) return refuse("holds a zero byte");
    std::string_view rest = line;
    const std::string_view keyword = next_token(rest);
    const bool is_element = keyword == "p" || keyword == "l";
    const bool is_read = keyword == "v" || keyword == "f" || keyword == "p";
    if (!is_read && !keyword.empty() && keyword[0] != '#') lines.unread.add(keyword);
    if (!is_read && !is_element) continue;
    if (keyword == "v") ++lines.positions;
    std::size_t tokens = 0;
    for (std::string_view token = next_token(rest); !token.empty(); token = next_token(rest)) {
      ++tokens;
      if (keyword == "v" && tokens <= 3 && !is_number(token)) {
        return refuse(fmt::format("'{}' is no number within {:g} of 0", token.substr(0, 40), kFarthest));
      }
      if (keyword == "v") continue;
      const std::int64_t position = position_of(token);
      if (position == 0 || (is_element && lines.positions + position < 0)) {
        return refuse(fmt::format("'{}' names no vertex", token.substr(0, 40)));
      }
      if (is_element && position > lines.last_named) {
        lines.last_named = position;
        lines.last_number = number;
      }
    }
    if (is_element) continue;
    if (keyword == "v" && tokens > 3) lines.unread.add(tokens == 4 ? "w" : "v");
    if (tokens < 3) {
      return refuse(fmt::format("{} {} where 3 are needed", tokens, keyword == "v" ? "coordinates" : "corners"));
    }
    if (keyword == "f") {
      if (tokens > kMaxCorners) {
        return fail(ErrorCode::kUnsupported, fmt::format("{}:{}: a face of {} corners, more than the limit of {}",
                                                         source, number, tokens, kMaxCorners));
      }
      lines.face_numbers.push_back(number);
    }
    lines.text.append(line).push_back('\n');
  }
  if (lines.last_named > lines.positions) {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}:{}: names vertex {} of {}", source, lines.last_number,
                                                     lines.last_named, lines.positions));
  }
  return lines;
}

struct Faces {
  std::vector<glm::vec3> positions;
  std::vector<std::int64_t> corners;  // corners of all faces: the position of each, from 0, not yet checked
  std::vector<std::size_t> ends;      // end of each face in `corners`
};

Faces parse(const std::string& text) {
  tinyobj::callback_t callbacks;
  callbacks.vertex_cb = [](void* to, float x, float y, float z, float) {
    static_cast<Faces*>(to)->positions.emplace_back(x, y, z);
  };
  callbacks.index_cb = [](void* to, tinyobj::index_t* indices, int count) {
    Faces& faces = *static_cast<Faces*>(to);
    for (int i = 0; i < count; ++i) {
      // Indices count from 1, or back from the last vertex before the face.
      const std::int64_t index = indices[i].vertex_index;
      faces.corners.push_back(index > 0 ? index - 1 : static_cast<std::int64_t>(faces.positions.size()) + index);
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
  // Only checked lines reach the parser, so it meets no materials, tags or nonsense.
  PELT_ASSIGN(const auto lines, check_lines({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, source));
  Faces faces = parse(lines.text);
  if (faces.positions.empty()) return fail(ErrorCode::kInvalidFile, fmt::format("{}: holds no vertex", source));

  ObjPolygons polygons;
  polygons.has_normals = lines.unread.contains("vn");
  polygons.unread = lines.unread.text();
  polygons.positions = std::move(faces.positions);
  polygons.ends = std::move(faces.ends);
  polygons.corners.reserve(faces.corners.size());
  for (std::size_t f = 0; f < polygons.ends.size(); ++f) {
    while (polygons.corners.size() < polygons.ends[f]) {
      const std::int64_t corner = faces.corners[polygons.corners.size()];
      if (corner < 0 || corner >= static_cast<std::int64_t>(polygons.positions.size())) {
        return fail(ErrorCode::kInvalidFile, fmt::format("{}:{}: names vertex {} of {}", source, lines.face_numbers[f],
                                                         corner + 1, polygons.positions.size()));
      }
      polygons.corners.push_back(static_cast<std::uint32_t>(corner));
    }
  }
  return polygons;
}

}  // namespace pelt
