// SPDX-License-Identifier: MIT
// The reports of a bind as JSON (docs/cli.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pelt/bind_report.h>
#include <pelt/tools/bind_model.h>

namespace pelt {

// Facts of a report besides the findings of bind.
struct BindReportFacts {
  std::string model;                  // as the user named it
  std::optional<std::string> output;  // the file written; none: the character stayed in memory
  std::uint64_t bytes = 0;            // of the character
  double seconds = 0;                 // for reading, binding and writing
};

// Returns the output of `pelt bind --json`, without a newline at its end.
std::string format_bind_report(const BindReportFacts& facts, const BoundModel& bound);

// Returns the output of `pelt bind --report`: one list per property, over every vertex of every mesh in the model's
// order.
std::string format_vertex_report(const std::string& model, const BoundModel& bound);

// Counts the vertices with each remark, and those that no driver moves. Empty if no driver moves the mesh.
std::vector<std::pair<std::string, std::size_t>> remark_counts(const MeshReport& mesh);

}  // namespace pelt
