// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>
#include <utility>

#include <pelt/tools/joint_names.h>

namespace pelt {
namespace {

constexpr std::string_view kLeftWords = "l left lft lt";
constexpr std::string_view kRightWords = "r right rgt rt";
// Prefixes and suffixes of programs, and words that any joint could have.
constexpr std::string_view kEmptyWords =
    "mixamorig bip biped valve cc base bind bnd skin def deform jnt joint bone bn sk skel skeleton armature char "
    "character stretch proximal intermediate distal";

// MikuMikuDance's words in English; of words that begin alike, the longest comes first.
constexpr std::pair<std::string_view, std::string_view> kTranslations[] = {
    {"左", "left"},         {"右", "right"},       {"上半身", "upperbody"}, {"下半身", "lowerbody"},
    {"センター", "center"}, {"ｾﾝﾀｰ", "center"},    {"腰", "pelvis"},        {"首", "neck"},
    {"頭", "head"},         {"目", "eye"},         {"肩", "shoulder"},      {"腕", "upperarm"},
    {"ひじ", "elbow"},      {"ヒジ", "elbow"},     {"ﾋｼﾞ", "elbow"},        {"肘", "elbow"},
    {"手首", "wrist"},      {"手", "hand"},        {"親指", "thumb"},       {"人指", "index"},
    {"人差指", "index"},    {"人差し指", "index"}, {"中指", "middle"},      {"薬指", "ring"},
    {"小指", "pinky"},      {"足首", "ankle"},     {"足先", "toe"},         {"足", "thigh"},
    {"ひざ", "knee"},       {"ヒザ", "knee"},      {"ﾋｻﾞ", "knee"},         {"膝", "knee"},
    {"つま先", "toe"},      {"爪先", "toe"},       {"捩", "twist"},         {"捻", "twist"},
};

// Returns a name with full-width letters and digits as ASCII, and with translated words.
std::string translated(std::string_view name) {
  if (std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80u; })) return std::string(name);
  std::string result;
  while (!name.empty()) {
    const auto found =
        std::ranges::find_if(kTranslations, [&](const auto& word) { return name.starts_with(word.first); });
    if (found != std::end(kTranslations)) {
      result.append(" ").append(found->second).append(" ");
      name.remove_prefix(found->first.size());
      continue;
    }
    // U+FF01 to U+FF5E are EF BC 81 to EF BD 9E in UTF-8.
    const bool is_wide = name.size() >= 3 && (name.starts_with("\xef\xbc") || name.starts_with("\xef\xbd"));
    const unsigned code =
        is_wide ? (static_cast<unsigned char>(name[1]) - 0xBCu) * 0x40u + static_cast<unsigned char>(name[2]) - 0x60u
                : 0u;
    const bool is_ascii = code > 0x20u && code < 0x7Fu;
    result += is_ascii ? static_cast<char>(code) : name[0];
    name.remove_prefix(is_ascii ? 3 : 1);
  }
  return result;
}

// Independent of the locale: names are UTF-8, in which only ASCII letters mark the starts of words.
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return (c >= 'a' && c <= 'z') || (static_cast<unsigned char>(c) & 0x80u) != 0; }

// Splits a name into words of letters only, in lower case. A word begins after any other character, at a capital after
// a small letter, and at the last of several capitals before a small letter: "LArm" is two words.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool begins = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_upper(c) && !is_lower(c)) {
      begins = true;
      continue;
    }
    const bool after_small = i > 0 && is_lower(name[i - 1]);
    const bool before_small = i + 1 < name.size() && is_lower(name[i + 1]);
    if (begins || (is_upper(c) && (after_small || before_small))) words.emplace_back();
    words.back() += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    begins = false;
  }
  return words;
}

}  // namespace

bool holds_word(std::string_view words, std::string_view word) {
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

JointName parse_joint_name(std::string_view name) {
  name = name.substr(name.find_last_of(":|") + 1);  // npos + 1 is 0: the whole name
  JointName result;
  std::string last_empty;
  for (const std::string& word : words_of(translated(name))) {
    if (holds_word(kLeftWords, word)) {
      result.side = Side::kLeft;
    } else if (holds_word(kRightWords, word)) {
      result.side = Side::kRight;
    } else if (holds_word(kEmptyWords, word)) {
      last_empty = word;
    } else if (word.size() > 1) {
      result.word += word;
    }
  }
  if (result.word.empty()) result.word = last_empty;
  return result;
}

std::vector<JointName> parse_joint_names(const Skeleton& skeleton) {
  std::vector<JointName> names;
  names.reserve(skeleton.joints.size());
  for (const Joint& joint : skeleton.joints) names.push_back(parse_joint_name(joint.name));
  for (const HumanBone& bone : skeleton.human_bones) names[bone.joint] = parse_joint_name(bone.name);
  return names;
}

}  // namespace pelt
