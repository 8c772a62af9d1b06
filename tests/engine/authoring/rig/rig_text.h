// SPDX-License-Identifier: MIT
// Rigs of one layer as text.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <pelt/rig_json.h>

namespace pelt {

inline std::string layer(const std::string& members) {
  return R"({"format": "pelt-rig 1", "layers": [{)" + members + "}]}";
}
inline std::string surface_ffd(const std::string& parameters) {
  return layer(R"("deformer": "surface_ffd", "parameters": {)" + parameters + "}");
}
inline std::string driver(const std::string& members) { return surface_ffd(R"("driver": {)" + members + "}"); }
inline std::string curve_skeleton(const std::string& parameters) {
  return layer(R"("deformer": "curve_skeleton", "parameters": {)" + parameters + "}");
}
inline std::string curve_joint(const std::string& members) {
  return curve_skeleton(R"("joints": [{"joint": "elbow", )" + members + "}]");
}
inline std::string twist(const std::string& keys) {
  return curve_skeleton(R"("bones": [{"joint": "elbow", "twist": )" + keys + "}]");
}
inline std::string mos(const std::string& parameters) {
  return layer(R"("deformer": "mos", "parameters": {)" + parameters + "}");
}
inline std::string edit(const std::string& members) { return mos(R"("edits": [{)" + members + "}]"); }
inline std::string driven(const std::string& share) {
  return edit(R"("operation": "bulge", "driver": {"joint": "elbow"}, "share": )" + share);
}

// Returns the error of parsing `json`, or "accepted".
inline std::string error_of(const std::string& json) {
  const auto rig = parse_rig(json, "x.json");
  return rig ? "accepted" : rig.error().message;
}

// Expects each rig to be refused with a message that contains the text next to it.
inline void expect_errors(const std::vector<std::pair<std::string, std::string>>& errors) {
  for (const auto& [json, why] : errors) EXPECT_THAT(error_of(json), testing::HasSubstr(why)) << json;
}

}  // namespace pelt
