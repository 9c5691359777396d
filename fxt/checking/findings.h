// How the parts of the Checker report. Internal to it.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "fxt/rules.h"

namespace fxt {

class Findings {
 public:
  explicit Findings(std::function<void(const Finding&)> report) : report_(std::move(report)) {}

  // Sets the current record; `record` is the word for its kind.
  void set_record(std::uint64_t offset, std::string_view record) {
    offset_ = offset;
    record_ = record;
  }
  std::uint64_t offset() const { return offset_; }
  std::string_view record() const { return record_; }

  // About the current record, or about a record at another offset.
  void error(std::string_view rule, std::string problem, std::string_view effect) const {
    error(rule, offset_, record_, std::move(problem), effect);
  }
  void warning(std::string_view rule, std::string problem, std::string_view effect) const {
    warning(rule, offset_, record_, std::move(problem), effect);
  }
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
  std::uint64_t offset_ = 0;
  std::string_view record_;
};

// "+0x1234", for other records that a problem mentions.
inline std::string place(std::uint64_t offset) {
  std::array<char, 16> digits = {};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), offset, 16).ptr;
  return "+0x" + std::string(digits.data(), end);
}

}  // namespace fxt
