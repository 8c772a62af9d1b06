// SPDX-License-Identifier: MIT
#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace pelt::fuzz {
namespace {

using nlohmann::json;

std::uint32_t word_of(float value) {
  std::uint32_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNumbers[] = {0,    -0.0f, 1,      -1,    0.5f,  1e-40f, 1e-20f,   1e-6f,
                              1e6f, 1e12f, -1e12f, 1e20f, 3e38f, kNan,   kInfinity};

// Returns true if the brackets of a JSON text nest so deep that copying or writing the document, which recurses, may
// overflow the stack.
bool is_deep(std::string_view text) {
  constexpr std::size_t kMaxDepth = 500;
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++i;
    if (in_string) continue;
    if ((c == '[' || c == '{') && ++depth > kMaxDepth) return true;
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return false;
}

// Lists places in a document, at most so many.
void gather(json& value, std::vector<json*>& places) {
  constexpr std::size_t kMaxPlaces = 20'000;
  if (places.size() >= kMaxPlaces) return;
  places.push_back(&value);
  if (!value.is_structured()) return;
  for (json& member : value) gather(member, places);
}

json any_number(Random& random) {
  const json numbers[] = {static_cast<std::int64_t>(random() % 8),
                          static_cast<std::int64_t>(random() % 2000) - 1000,
                          static_cast<double>(random() % 2001) * 0.001,
                          std::uint64_t{1} << random() % 64,
                          -1e300,
                          static_cast<double>(kNumbers[random() % 13])};  // finite ones
  return numbers[random() % std::size(numbers)];
}

void change_text(std::string& text, Random& random) {
  if (text.empty() || random() % 4 == 0) {
    constexpr std::string_view kTexts[] = {"", "*", "a", "cage", "tube", "joint1", "joint?", "auto", "../x", "x/y"};
    text = kTexts[random() % std::size(kTexts)];
  } else if (random() % 3 == 0) {
    text.erase(random() % text.size(), 1);
  } else {
    text[random() % text.size()] = static_cast<char>(random() % 256);
  }
}

void change_value(json& value, const json& other, Random& random) {
  if (random() % 8 == 0) {
    value = other;
  } else if (value.is_number() && random() % 8 != 0) {
    const double number = value.get<double>();
    switch (random() % 4) {
      case 0:
        value = value.is_number_integer() ? json(value.get<std::uint64_t>() + 1) : json(number * 1.5);
        break;
      case 1:
        value = value.is_number_integer() ? json(-1 - value.get<std::int64_t>()) : json(-number);
        break;
      default:
        value = any_number(random);
    }
  } else if (value.is_string() && random() % 8 != 0) {
    change_text(value.get_ref<std::string&>(), random);
  } else if (value.is_boolean()) {
    value = !value.get<bool>();
  } else if (value.is_array() && !value.empty() && random() % 8 != 0) {
    const auto at = static_cast<std::ptrdiff_t>(random() % value.size());
    if (random() % 2 == 0) {
      value.erase(static_cast<std::size_t>(at));
    } else {
      json copy = value[static_cast<std::size_t>(at)];
      value.insert(value.begin() + at, std::move(copy));
    }
  } else if (value.is_object() && !value.empty() && random() % 8 != 0) {
    auto member = value.begin();
    std::advance(member, static_cast<std::ptrdiff_t>(random() % value.size()));
    if (random() % 2 == 0) {
      value.erase(member);
    } else {
      value[member.key()] = other;
    }
  } else {
    const json kinds[] = {nullptr, true, "", json::array(), json::object(), any_number(random), json::array({0, 1, 2})};
    value = kinds[random() % std::size(kinds)];
  }
}

}  // namespace

void change_words(std::span<std::byte> bytes, Random& random) {
  const std::size_t count = bytes.size() / 4;
  if (count == 0) return;
  const std::size_t changes = 1 + random() % 4;
  for (std::size_t c = 0; c < changes; ++c) {
    std::byte* const at = bytes.data() + 4 * (random() % count);
    std::uint32_t word = 0;
    std::memcpy(&word, at, 4);
    std::uint32_t other = 0;
    std::memcpy(&other, bytes.data() + 4 * (random() % count), 4);
    const auto any = static_cast<std::uint32_t>(random());
    const std::uint32_t changed[] = {
        word + 1, word - 1, any, any % 64, word ^ (1u << any % 32), word_of(kNumbers[any % std::size(kNumbers)]),
        other,    other};
    std::memcpy(at, &changed[random() % std::size(changed)], 4);
  }
}

void change_count(std::vector<std::byte>& bytes, Random& random) {
  constexpr std::size_t kEntrySizes[] = {4, 8, 12, 16, 64};
  const std::size_t words = bytes.size() / 4;
  for (int tries = 0; tries < 100 && words > 0; ++tries) {
    const std::size_t at = 4 * (random() % words);
    std::uint32_t count = 0;
    std::memcpy(&count, bytes.data() + at, 4);
    const std::size_t entry = kEntrySizes[random() % std::size(kEntrySizes)];
    const std::size_t first = at + 4;
    if (count == 0 || count > (bytes.size() - first) / entry) continue;
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(first + entry * (random() % count));
    if (random() % 2 == 0) {
      --count;
      bytes.erase(place, place + static_cast<std::ptrdiff_t>(entry));
    } else {
      ++count;
      const std::vector<std::byte> copy(place, place + static_cast<std::ptrdiff_t>(entry));
      bytes.insert(place, copy.begin(), copy.end());
    }
    std::memcpy(bytes.data() + at, &count, 4);
    return;
  }
}

void change_bytes(std::vector<std::byte>& bytes, std::size_t room) {
  const std::size_t size = bytes.size();
  bytes.resize(size + room);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
}

void change_json(json& document, Random& random) {
  const std::size_t changes = 1 + random() % 3;
  for (std::size_t c = 0; c < changes; ++c) {
    std::vector<json*> places;
    gather(document, places);
    const json other = *places[random() % places.size()];
    change_value(*places[random() % places.size()], other, random);
  }
}

std::size_t mutate_json(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  if (is_deep({reinterpret_cast<const char*>(data), size})) return LLVMFuzzerMutate(data, size, max_size);
  Random random(seed);
  json document = json::parse(data, data + size, nullptr, false);
  if (document.is_discarded() || random() % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
  change_json(document, random);
  const std::string text = document.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

}  // namespace pelt::fuzz
