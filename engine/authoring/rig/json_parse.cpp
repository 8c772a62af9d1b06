// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>
#include <set>

#include <pelt/tools/json_fields.h>

namespace pelt::json_fields {
namespace {

constexpr std::size_t kMaxDepth = 32;  // a rig needs 11

// Returns the offset at which brackets nest deeper than kMaxDepth, before the parser builds anything; none if they do
// not.
std::optional<std::size_t> too_deep(std::string_view json) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return i;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return std::nullopt;
}

std::string place(std::string_view json, std::size_t offset) {
  const std::string_view before = json.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 if there is no newline
  return fmt::format("line {}, column {}", 1 + std::ranges::count(before, '\n'), 1 + before.size() - line_start);
}

// An iterator that records the parser's position, which the parser itself only reports in syntax errors.
struct TracedCharacter {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  const char** reached;

  reference operator*() const { return *at; }
  TracedCharacter& operator++() {
    *reached = ++at;
    return *this;
  }
  friend bool operator==(TracedCharacter a, TracedCharacter b) { return a.at == b.at; }
};

// Finds duplicate keys in an object, of which the parser silently keeps the last.
class KeyWatch {
 public:
  // Returns true if the event is a key that its object already has.
  bool see(Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    return event == Json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second;
  }

 private:
  std::vector<std::set<std::string>> keys_;  // of each open object
};

}  // namespace

Result<Json> parse_json(std::string_view json, const std::string& source) {
  if (json.size() > kMaxBytes) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("{}: {} bytes, more than the limit of {}", source, json.size(), kMaxBytes));
  }
  if (const auto at = too_deep(json)) {
    return fail(ErrorCode::kInvalidFile,
                fmt::format("{}: {}: nested deeper than {}", source, place(json, *at), kMaxDepth));
  }
  const char* const begin = json.data();
  const char* reached = begin;
  KeyWatch keys;
  std::optional<std::string> twice;
  const auto watch = [&](int, Json::parse_event_t event, const Json& parsed) {
    if (keys.see(event, parsed) && !twice) {
      twice =
          fmt::format("{}: duplicate key '{}'", place(json, reached - begin), shortened(parsed.get<std::string>(), 64));
    }
    return true;
  };
  const TracedCharacter first{begin, &reached}, last{begin + json.size(), &reached};
  const auto checked = [&](Json parsed) -> Result<Json> {
    if (twice) return fail(ErrorCode::kInvalidFile, fmt::format("{}: {}", source, *twice));
    return parsed;
  };
#ifdef __cpp_exceptions
  try {
    return checked(Json::parse(first, last, watch));
  } catch (const Json::exception& error) {
    // A syntax error begins "[json.exception.parse_error.101] parse error at line 1, column 2: ", others "[...] ".
    const std::string what = error.what();
    const std::size_t end_of_place = error.id == 101 ? what.find(": ") + 2 : what.find("] ") + 2;
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: {}: {}", source, place(json, reached - begin),
                                                     shortened(what.substr(end_of_place), 300)));
  }
#else
  Json parsed = Json::parse(first, last, watch, false);
  if (!parsed.is_discarded()) return checked(std::move(parsed));
  return fail(ErrorCode::kInvalidFile, fmt::format("{}: {}: no valid JSON", source, place(json, reached - begin)));
#endif
}

}  // namespace pelt::json_fields
