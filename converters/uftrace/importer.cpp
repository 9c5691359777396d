#include "converters/uftrace/importer.h"

#include "converters/model/outline.h"
#include "converters/uftrace/import.h"
#include "converters/uftrace/inspect/inspect.h"
#include "converters/uftrace/options.h"

namespace convert::uftrace {
namespace {

class RecordingImporter final : public Importer {
 public:
  std::string_view name() const override { return "uftrace recording"; }
  std::vector<Option> options() override {
    return {{.name = "no-sched", .help = "no context switches", .take = into(options_.no_sched)}};
  }
  bool recognizes(const std::filesystem::path& input) const override { return uftrace::recognizes(input); }
  void import(const std::filesystem::path& input, ImportContext& context) const override {
    uftrace::import(input, context, options_);
  }
  Outline inspect(const std::filesystem::path& input, Notes& notes) const override {
    return uftrace::inspect(input, notes);
  }

 private:
  Options options_;
};

}  // namespace

std::unique_ptr<Importer> make_importer() { return std::make_unique<RecordingImporter>(); }

}  // namespace convert::uftrace
