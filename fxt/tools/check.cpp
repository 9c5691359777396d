// Findings as text and JSON; of each rule, only the first ones unless all are asked for.
#include "fxt/tools/check.h"

#include <map>

#include <nlohmann/json.hpp>

#include "fxt/checker.h"

namespace fxt::tools {
namespace {

constexpr std::uint64_t kShownOfEachRule = 20;

class FindingPrinter {
 public:
  FindingPrinter(const DumpOptions& options, StandardOutput& out) : options_(&options), out_(&out) {}

  void print(const Finding& finding) {
    ++(finding.severity == Severity::Error ? errors_ : warnings_);
    if (++of_rule_[finding.rule] > kShownOfEachRule && !options_->all_findings) return;
    if (options_->json) {
      const nlohmann::ordered_json json = {{"offset", finding.offset},
                                           {"rule", finding.rule},
                                           {"severity", name(finding)},
                                           {"record", finding.record},
                                           {"problem", displayable(finding.problem)},
                                           {"effect", finding.effect}};
      out_->text().append(json.dump());
    } else {
      append(out_->text(), "{}:+{:#x}: {} {} {}: {}: {}", options_->file, finding.offset, name(finding),
             finding.rule, finding.record, displayable(finding.problem), finding.effect);
    }
    out_->line_done();
  }

  ExitCode finish() {
    if (!options_->json) {
      for (const auto& [rule, count] : of_rule_) {
        if (count <= kShownOfEachRule || options_->all_findings) continue;
        append(out_->text(), "{}: {} more of {}", options_->file, count - kShownOfEachRule, rule);
        out_->line_done();
      }
      if (errors_ + warnings_ != 0) {
        append(out_->text(), "{}: {} errors, {} warnings", options_->file, errors_, warnings_);
        out_->line_done();
      }
    }
    out_->flush();
    return errors_ + warnings_ == 0 ? ExitCode::Done : ExitCode::Failed;
  }

 private:
  static std::string_view name(const Finding& finding) {
    return finding.severity == Severity::Error ? "error" : "warning";
  }

  const DumpOptions* options_;
  StandardOutput* out_;
  std::map<std::string_view, std::uint64_t> of_rule_;
  std::uint64_t errors_ = 0, warnings_ = 0;
};

}  // namespace

ExitCode check(const DumpOptions& options, EntrySource& source, StandardOutput& out) {
  FindingPrinter printer(options, out);
  Checker checker([&printer](const Finding& finding) { printer.print(finding); });
  while (const Entry* entry = source.next()) checker.add(*entry, source.reader());
  checker.finish(source.reader());
  return printer.finish();
}

ExitCode print_rules(StandardOutput& out) {
  for (const Rule& rule : rules()) {
    append(out.text(), "{:<4}{}\n    {}", rule.id, rule.says, rule.because);
    out.line_done();
  }
  out.flush();
  return ExitCode::Done;
}

}  // namespace fxt::tools
