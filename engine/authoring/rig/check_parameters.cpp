// SPDX-License-Identifier: MIT
#include "engine/authoring/rig/check_parameters.h"

#include <pelt/tools/json_fields.h>

#include "engine/authoring/rig/deformer_entry.h"

namespace pelt {

Result<void> check_parameters(const DeformerParameters& parameters, const std::string& what) {
  DeformerParameters copy = parameters;  // describe reads into its argument as well as from it
  DeformerParameters read = deformer_entry(parameters).defaults;
  json_fields::OrderedJson written;
  json_fields::Writer writer(written);
  copy.describe_to(writer);
  json_fields::Problem problem{what, std::nullopt};
  const json_fields::Json json = written;
  json_fields::Reader reader(json, "", problem);
  read.describe_to(reader);
  if (!problem.error) return {};
  return fail(ErrorCode::kInvalidArgument, problem.error->message);
}

}  // namespace pelt
