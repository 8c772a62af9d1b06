// SPDX-License-Identifier: MIT
#include <pelt/rig_names.h>

#include "engine/rig/fields.h"

namespace pelt {
namespace {

class NameVisitor : public Fields {
 public:
  explicit NameVisitor(const VisitName& visit) : visit_(visit) {}

  void text(const Field&, std::string& value, Names names) override {
    if (!value.empty() && names != Names::kNothing) visit_(value, names);
  }
  void name(const Field& field, std::string& value, Names names) override { text(field, value, names); }
  void texts(const Field& field, std::vector<std::string>& values, Names names) override {
    for (std::string& value : values) text(field, value, names);
  }

 private:
  const VisitName& visit_;
};

}  // namespace

void for_each_name(DeformerParameters& parameters, const VisitName& visit) {
  NameVisitor visitor(visit);
  parameters.describe_to(visitor);
}

void for_each_name(const DeformerParameters& parameters, const std::function<void(const std::string&, Names)>& visit) {
  // `visit` does not change the names.
  for_each_name(const_cast<DeformerParameters&>(parameters),
                VisitName([&](std::string& name, Names names) { visit(name, names); }));
}

}  // namespace pelt
