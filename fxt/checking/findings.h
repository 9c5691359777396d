// How the parts of the Checker report. Internal to it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "fxt/rules.h"

namespace fxt {

class Findings {
 public:
  explicit Findings(std::function<void(const Finding&)> report) : report_(std::move(report)) {}

  void error(std::string_view rule, std::uint64_t offset, std::string_view record, std::string problem,
             std::string_view effect) const {
    report_({rule, Severity::Error, offset, record, std::move(problem), effect});
  }
  void warning(std::string_view rule, std::uint64_t offset, std::string_view record, std::string problem,
               std::string_view effect) const {
    report_({rule, Severity::Warning, offset, record, std::move(problem), effect});
  }

 private:
  std::function<void(const Finding&)> report_;
};

// "+0x1234", for other records that a problem mentions.
std::string place(std::uint64_t offset);

}  // namespace fxt
