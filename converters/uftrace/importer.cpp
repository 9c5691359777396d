#include "converters/uftrace/importer.h"

#include "converters/model/outline.h"
#include "converters/uftrace/import.h"
#include "converters/uftrace/inspect.h"
#include "converters/uftrace/options.h"

namespace convert::uftrace {
namespace {

class RecordingImporter final : public Importer {
 public:
  std::string_view name() const override { return "uftrace recording"; }
  std::vector<Option> options() override;
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

std::vector<Option> RecordingImporter::options() {
  const std::vector<Option> others = {
      {.name = "no-args", .help = "no arguments and return values of calls", .take = into(options_.no_args)},
      {.name = "no-event",
       .help = "no events: counters, user events, what was read at calls, messages of extern.dat",
       .take = into(options_.no_event)},
      {.name = "no-sched", .help = "no context switches", .take = into(options_.no_sched)},
      {.name = "no-kernel",
       .help = "no kernel functions and no tracepoints",
       .take = into(options_.no_kernel)},
      {.name = "kernel-only",
       .help = "kernel functions and tracepoints alone, and where records were lost",
       .take = into(options_.kernel_only)},
      {.name = "kernel-skip-out",
       .help = "nothing that the kernel did outside of calls of the program, as uftrace by itself",
       .take = into(options_.kernel_skip_out)},
      {.name = "kernel-full",
       .help = "all that the kernel did (default)",
       .take = [this](std::string_view) { options_.kernel_skip_out = false; }},
      {.name = "utc",
       .help = "times of the wall clock, where the recording tells how far its own is behind: in whole "
               "seconds, so "
               "that they may be wrong by one",
       .take = into(options_.utc)},
      {.name = "sysroot",
       .argument = "DIR",
       .help =
           "below this directory lie the programs and libraries of the machine that was recorded: names come "
           "from there when the recording has no .sym files (default: from this machine's)",
       .take = into(options_.elf.sysroot)},
      {.name = "no-elf",
       .help = "no names from programs and libraries: no file outside of the recording is opened",
       .take = into(options_.elf.is_off)},
  };
  std::vector<Option> options = options_of(options_.filters);
  options.insert(options.end(), others.begin(), others.end());
  return options;
}

}  // namespace

std::unique_ptr<Importer> make_importer() { return std::make_unique<RecordingImporter>(); }

}  // namespace convert::uftrace
