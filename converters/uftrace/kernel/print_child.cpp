#include "converters/uftrace/kernel/print_child.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <stdexcept>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <nlohmann/json.hpp>

namespace convert::uftrace {
namespace {

using Json = nlohmann::json;

constexpr int kMostChildren = 16;   // each failure costs one
constexpr rlim_t kMostSeconds = 1;  // of a child

// ---- The child's words: a line of JSON for each format, in order ----

Json json_of(const PrintExpression& expression) {
  Json names = Json::array(), operands = Json::array();
  for (const auto& [value, text] : expression.names) names.push_back({value, text});
  for (const PrintExpression& operand : expression.operands) operands.push_back(json_of(operand));
  return {{"what", static_cast<int>(expression.what)},
          {"number", expression.number},
          {"offset", expression.place.offset},
          {"size", expression.place.size},
          {"signed", expression.is_signed},
          {"text", expression.text},
          {"names", std::move(names)},
          {"operands", std::move(operands)}};
}

Json json_of(const PrintedFields& fields) {
  Json all = Json::object();
  for (const auto& [name, field] : fields) {
    Json parts = Json::array();
    for (const PrintExpression& part : field.parts) parts.push_back(json_of(part));
    all[name] = {{"parts", std::move(parts)}, {"symbol", field.is_symbol}, {"pointer", field.is_pointer}};
  }
  return all;
}

// What a child says that has gone astray is not believed: these throw.
PrintExpression expression_from(const Json& json) {
  using What = PrintExpression::What;
  PrintExpression expression{.what = static_cast<What>(json.at("what").get<std::uint8_t>()),
                             .number = json.at("number").get<std::uint64_t>(),
                             .place = {.offset = json.at("offset").get<std::uint32_t>(),
                                       .size = json.at("size").get<std::uint8_t>()},
                             .is_signed = json.at("signed").get<bool>(),
                             .text = json.at("text").get<std::string>()};
  for (const Json& name : json.at("names"))
    expression.names.push_back({name.at(0).get<std::uint64_t>(), name.at(1).get<std::string>()});
  for (const Json& operand : json.at("operands")) expression.operands.push_back(expression_from(operand));
  if (!expression.is_whole()) throw std::invalid_argument("no expression");
  return expression;
}

PrintedFields fields_from(std::string_view line) {
  PrintedFields fields;
  const Json said = Json::parse(line);
  for (const auto& [name, json] : said.items()) {
    PrintedField& field = fields[name];
    for (const Json& part : json.at("parts")) field.parts.push_back(expression_from(part));
    field.is_symbol = json.at("symbol").get<bool>();
    field.is_pointer = json.at("pointer").get<bool>();
  }
  return fields;
}

// ---- The processes ----

void write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(to, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) ::_exit(1);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// What goes wrong here is nobody's business: no message, no core.
[[noreturn]] void be_child(const KernelHeader& header, std::size_t first, int to) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) ::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0}, seconds{kMostSeconds, kMostSeconds};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_CPU, &seconds);
  if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
    ::dup2(nowhere, STDERR_FILENO);
  try {
    PrintFormats formats(header.pages);
    for (std::size_t i = first; i < header.formats.size(); ++i) {
      const Json said = json_of(formats.fields_of(header.formats[i]));
      write_all(to, said.dump(-1, ' ', true, Json::error_handler_t::replace) + '\n');
    }
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

std::string read_all(int from) {
  std::string text;
  constexpr std::size_t kBlock = 65536;
  std::string block(kBlock, '\0');
  for (;;) {
    const ssize_t size = ::read(from, block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(block, 0, static_cast<std::size_t>(size));
  }
}

// What a child says of the formats from `first` on, until it dies.
std::string ask_child(const KernelHeader& header, std::size_t first) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) be_child(header, first, pipe[1]);
  ::close(pipe[1]);
  std::string said = child > 0 ? read_all(pipe[0]) : std::string();
  ::close(pipe[0]);
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return said;
}

}  // namespace

std::vector<PrintedFields> printed_fields(const KernelHeader& header) {
  std::vector<PrintedFields> all(header.formats.size());
  std::size_t next = 0;
  for (int children = 0; children < kMostChildren && next < all.size(); ++children) {
    const std::string said = ask_child(header, next);
    std::string_view rest = said;
    for (std::size_t end; next < all.size() && (end = rest.find('\n')) != std::string_view::npos; ++next) {
      try {
        all[next] = fields_from(rest.substr(0, end));
      } catch (const std::exception&) {
        all[next].clear();
      }
      rest.remove_prefix(end + 1);
    }
    ++next;  // it died of this one
  }
  return all;
}

}  // namespace convert::uftrace
