#include "converters/tfile/importer.h"

#include "converters/model/outline.h"
#include "converters/tfile/events/options.h"
#include "converters/tfile/import.h"
#include "converters/tfile/inspect.h"

namespace convert::tfile {
namespace {

class TraceFileImporter final : public Importer {
 public:
  std::string_view name() const override { return "GDB trace file"; }
  std::vector<Option> options() override;
  bool recognizes(const std::filesystem::path& input) const override { return tfile::recognizes(input); }
  void import(const std::filesystem::path& input, ImportContext& context) const override {
    tfile::import(input, context, options_);
  }
  Outline inspect(const std::filesystem::path& input, Notes& notes) const override {
    return tfile::inspect(input, notes);
  }
  bool takes_common_offset() const override { return true; }

 private:
  Options options_;
};

std::vector<Option> TraceFileImporter::options() {
  return {
      choice(
          "registers", options_.registers,
          {{"auto", Registers::Auto},
           {"none", Registers::None},
           {"general", Registers::General},
           {"all", Registers::All}},
          "which registers of a frame are shown (default: auto, those that were asked for by name, and the "
          "general ones of $regs)"),
      {.name = "program",
       .argument = "ELF",
       .help = "the program that was traced: gives functions and source lines",
       .take = into(options_.program)},
      {.name = "load-bias",
       .argument = "ADDRESS",
       .help = "where that program was loaded (default: found out)",
       .take = [this](std::string_view text) { options_.load_bias = parse_address("load-bias", text); }},
      {.name = "symbols",
       .argument = "FILE",
       .help = "a kernel's kallsyms or System.map, for traces of a kernel",
       .take = into(options_.symbols)},
  };
}

}  // namespace

std::unique_ptr<Importer> make_importer() { return std::make_unique<TraceFileImporter>(); }

}  // namespace convert::tfile
