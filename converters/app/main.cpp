// fxt-convert: selects the importers, writes the timeline to the output, and prints the report.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "converters/app/conversion.h"
#include "converters/app/importers.h"
#include "converters/app/notes_page.h"
#include "converters/app/options.h"
#include "converters/app/output_rules.h"
#include "converters/app/report.h"
#include "converters/app/unpacked_inputs.h"
#include "converters/model/importer.h"
#include "converters/model/outline.h"
#include "converters/model/reading/input_error.h"
#include "converters/model/reading/text.h"
#include "fxt/support/compressed_files.h"
#include "fxt/support/memory_limit.h"
#include "fxt/support/program.h"
#include "fxt/support/similar_names.h"
#include "fxt/support/text.h"

namespace convert {
namespace {

using fxt::ExitCode;

std::string plain_text(std::string_view markdown) {
  constexpr std::size_t kColumns = 100;
  static const std::regex kRemark(R"(\*Informational\.\*)"), kLink(R"(\[([^\]]+)\]\([^)]*\))"),
      kLineEnd("([^\n])\n *(?!\n|- )");
  std::string text = std::regex_replace(std::string(markdown), kRemark, "Informational.");
  text = std::regex_replace(std::regex_replace(text, kLink, "$1"), kLineEnd, "$1 ");
  std::string lines;
  for (const std::string_view paragraph : fxt::parts_of(text, "\n\n")) {
    if (!lines.empty()) lines += '\n';
    for (const std::string_view item : fxt::parts_of(paragraph, "\n"))
      lines += fmt::format(
          "{}\n", fmt::join(fxt::wrapped_lines(item, kColumns), item.starts_with("- ") ? "\n  " : "\n"));
  }
  return lines;
}

// Prints the section of docs/notes.md about a kind of note as plain text.
ExitCode explain(std::string_view kind) {
  constexpr std::string_view kHeading = "\n### ";
  fxt::SimilarNames similar(kind);
  for (std::size_t at = kNotesPage.find(kHeading); at != std::string_view::npos;
       at = kNotesPage.find(kHeading, at + 1)) {
    const std::string_view entry = kNotesPage.substr(at + kHeading.size());
    const std::string_view name = entry.substr(0, entry.find('\n'));
    if (name == kind) {
      fxt::print(plain_text(entry.substr(0, entry.find("\n\n#"))));
      return ExitCode::Done;
    }
    similar.consider(std::string(name));
  }
  const auto names = similar.nearest();
  throw UsageError(fmt::format("'{}' is not a kind of note{}", kind,
                               names.empty() ? "; docs/notes.md lists all notes"
                                             : fmt::format("; did you mean {}?", fmt::join(names, ", "))));
}

ExitCode inspect(const ConvertOptions& options, const UnpackedInputs& unpacked) {
  Outline all = Outline::array();
  bool has_notes = false;
  for (const std::string& input : options.inputs) {
    Notes notes;
    if (&input == &options.inputs.front()) note_unused_options(options, notes);
    const Importer& importer = importer_of(input, options.importers);
    Outline outline = importer.inspect(input, notes);
    has_notes |= !notes.has_only_remarks();
    if (options.report == ReportForm::Text)
      fxt::print(unpacked.with_input_names(
          text_of(options.inspects_all ? outline : summary_of(outline, importer.summary())) +
          text_of(notes)));
    outline["notes"] = outline_of(notes);
    all.push_back(std::move(outline));
  }
  if (options.report == ReportForm::Json)
    fxt::print(unpacked.with_input_names(fxt::json_text(all.size() == 1 ? all.front() : all, 2) + '\n'));
  return options.strict && has_notes ? ExitCode::DoneWithNotes : ExitCode::Done;
}

void print_report(const ConvertOptions& options, const Report& report, const Notes& notes,
                  const UnpackedInputs& unpacked) {
  if (options.quiet || options.report == ReportForm::None) return;
  std::string text;
  if (options.report == ReportForm::Text) {
    text = text_of(report) + (notes.empty() ? "" : text_of(notes));
  } else {
    Outline outline = outline_of(report);
    outline["notes"] = outline_of(notes);
    text = fxt::json_text(outline) + '\n';
  }
  text = unpacked.with_input_names(std::move(text));
  if (options.output == "-") {
    fxt::print_message(text);
    return;
  }
  try {
    fxt::print(text);
    fxt::check_standard_output();
  } catch (const fxt::QuietEnd&) {
    // If the program that reads the report has ended, the exit code of the conversion is still returned.
  } catch (const std::exception& error) {
    const std::vector<std::string>& pieces = report.written.pieces;
    throw std::runtime_error(
        fmt::format("{}: the trace is written, but the report is not: {}",
                    pieces.empty() ? options.output : fmt::format("{} to {}", pieces.front(), pieces.back()),
                    error.what()));
  }
}

std::string_view without_slashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// The size of a recording that is a file or a directory of files.
std::uint64_t size_of(const std::string& recording) {
  namespace fs = std::filesystem;
  std::error_code failed, unknown;
  std::uint64_t sum = 0;
  const auto add = [&](std::uint64_t size) { sum += unknown ? 0 : size; };
  add(fs::file_size(recording, unknown));
  for (fs::directory_iterator files(recording, failed), end; !failed && files != end; files.increment(failed))
    add(files->file_size(unknown));
  return sum;
}

// Replaces each input by the recordings that it contains. Returns the offset of each recording. --offset
// names an input by its path, by the path of a recording in an archive, or by its number, from 1. A path that
// looks like a number counts as a path.
std::vector<std::optional<std::int64_t>> unpack_inputs(ConvertOptions& options, UnpackedInputs& unpacked) {
  std::vector<std::string> recordings;
  std::vector<std::array<std::string, 2>> paths;
  for (const std::string& input : options.inputs)
    for (std::string& recording : unpacked.recordings_in(input, options.importers)) {
      paths.push_back({input, unpacked.with_input_names(recording)});
      if (recording == input) fxt::limit_memory(recording, fxt::Packing::Plain, size_of(recording));
      recordings.push_back(std::move(recording));
    }
  options.inputs = std::move(recordings);

  std::vector<std::optional<std::int64_t>> offsets_ns(options.inputs.size());
  for (const auto& [input, time_ns] : options.offsets) {
    bool is_path = false;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (std::ranges::find(paths[i], without_slashes(input), without_slashes) == paths[i].end()) continue;
      offsets_ns[i] = time_ns;
      is_path = true;
    }
    if (is_path) continue;
    const auto number = whole_number<std::size_t>(input);
    if (!number) throw UsageError(fmt::format("--offset: '{}' is not one of the INPUTs", input));
    if (*number == 0 || *number > offsets_ns.size())
      throw UsageError(fmt::format("--offset: there is no INPUT number {}", *number));
    offsets_ns[*number - 1] = time_ns;
  }
  return offsets_ns;
}

ExitCode convert(const ConvertOptions& options, Conversion::Offsets offsets_ns,
                 const UnpackedInputs& unpacked) {
  std::unique_ptr<Conversion> conversion;
  if (options.fit_bytes) {
    conversion = fit(options, offsets_ns);
  } else {
    conversion = std::make_unique<Conversion>(options, offsets_ns);
    conversion->write();
  }
  print_report(options, conversion->report(), conversion->notes(), unpacked);
  return options.strict && !conversion->notes().has_only_remarks() ? ExitCode::DoneWithNotes : ExitCode::Done;
}

ExitCode run(ConvertOptions options) {
  if (options.explain) return explain(*options.explain);
  if (!options.inspect && options.unpack_folder.empty()) check_output(options);
  UnpackedInputs unpacked(options.unpack_folder);
  try {
    const auto offsets_ns = unpack_inputs(options, unpacked);
    if (!options.unpack_folder.empty()) {
      for (const std::string& input : options.inputs) fxt::print(input + '\n');
      return ExitCode::Done;
    }
    return options.inspect ? inspect(options, unpacked) : convert(options, offsets_ns, unpacked);
  } catch (const InputError& error) {
    throw std::runtime_error(unpacked.with_input_names(error.what()));
  } catch (const fxt::FileError& error) {
    throw std::runtime_error(unpacked.with_input_names(error.what()));
  }
}

}  // namespace
}  // namespace convert

int main(int argc, char** argv) {
  return fxt::run_program("fxt-convert", [&] {
    auto options = convert::parse_options(argc, argv);
    return options ? convert::run(std::move(*options)) : fxt::ExitCode::Done;
  });
}
