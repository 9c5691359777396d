// The target description of a trace file: XML that lists the registers of the machine.
#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <pugixml.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/tfile/description/register_layout.h"
#include "fxt/support/budget.h"

namespace convert::tfile {
namespace {

// The largest known register, SME's ZA, has 64 KiB.
constexpr unsigned kMaxRegisterBits = 8 * 65536;
constexpr std::size_t kMaxRegisters = 65536;
constexpr fxt::Limit kDescriptionText{"MiB of a target description", 2 * fxt::kMiB, 0};
constexpr fxt::Limit kRegisterBytes{"MiB of registers", 16 * fxt::kMiB, 0};
constexpr fxt::Limit kFlagNames{"characters in the field names of a flags type", 4096, 0};

ValueForm form_of_basic(std::string_view type, std::size_t size) {
  if (size == 0 || size > 8) return ValueForm::Bytes;
  if (type == "code_ptr" || type == "data_ptr") return ValueForm::Pointer;
  if (type.starts_with("uint")) return ValueForm::Unsigned;
  if (type.empty() || type == "long" || type.starts_with("int")) return ValueForm::Signed;
  const bool is_float = ((type == "float" || type == "ieee_single") && size == 4) ||
                        ((type == "float" || type == "ieee_double") && size == 8);
  return is_float ? ValueForm::Float : ValueForm::Bytes;
}

// True for floating-point registers, vector registers and their control registers. These are not general
// registers.
bool is_special_register(std::string_view name, std::string_view feature) {
  static constexpr std::array<std::string_view, 29> kControl{
      "fctrl", "fstat",  "ftag",   "fiseg", "fioff",     "foseg",    "fooff",   "fop",     "mxcsr",    "pkru",
      "fpsr",  "fpcr",   "fpscr",  "fcsr",  "fir",       "fpc",      "fps",     "fsr",     "fprs",     "vscr",
      "vg",    "vrsave", "fflags", "frm",   "fpcontrol", "fpstatus", "fpiaddr", "bndcfgu", "bndstatus"};
  static constexpr std::array<std::string_view, 9> kFeatures{".fpu", ".vfp",    ".avx", ".sse",  ".altivec",
                                                             ".vsx", ".vector", ".mpx", ".pkeys"};
  if (std::ranges::find(kControl, name) != kControl.end()) return true;
  return std::ranges::any_of(
      kFeatures, [&](std::string_view part) { return feature.find(part) != std::string_view::npos; });
}

// The types that a feature defines for its own registers.
class FeatureTypes {
 public:
  FeatureTypes(const pugi::xml_node& feature, std::vector<std::string>& problems) : problems_(problems) {
    for (const pugi::xml_node& type : feature.children())
      if (const std::string_view id = type.attribute("id").value(); !id.empty())
        types_.emplace(id, Type{.node = type});
  }

  void apply(std::string_view type, Register& reg) {
    const auto found = types_.find(type);
    if (found == types_.end()) {
      reg.form = form_of_basic(type, reg.size);
      return;
    }
    const std::string_view tag = found->second.node.name();
    if (tag == "flags" && reg.size <= 8) {
      if (!std::exchange(found->second.is_read, true)) found->second.fields = fields_of(found->second.node);
      reg.flags = found->second.fields;
      reg.form = reg.flags != nullptr ? ValueForm::Flags : ValueForm::Unsigned;
    } else if ((tag == "enum" || tag == "struct") && reg.size <= 8) {
      reg.form = ValueForm::Unsigned;
    } else {
      reg.form = ValueForm::Bytes;
    }
  }

 private:
  using Fields = std::shared_ptr<const std::vector<FlagField>>;
  struct Type {
    pugi::xml_node node;
    bool is_read = false;  // the fields were read
    Fields fields = {};
  };

  // Returns null if there are too many fields.
  Fields fields_of(const pugi::xml_node& flags) {
    std::vector<FlagField> fields;
    fxt::Budget budget(kFlagNames);
    for (const pugi::xml_node& field : flags.children("field")) {
      const std::string_view name = field.attribute("name").value();
      const unsigned start = field.attribute("start").as_uint(64);
      const unsigned end = field.attribute("end").as_uint(start);
      if (name.empty() || start > end || end > 63) continue;  // fields without a name are reserved
      if (!budget.take(name.size())) {
        problems_.push_back(fmt::format("type '{}' has {}, so registers of this type are shown as numbers",
                                        flags.attribute("id").value(), budget.exceeded()));
        return nullptr;
      }
      fields.push_back({std::string(name), start, end});
    }
    return std::make_shared<const std::vector<FlagField>>(std::move(fields));
  }

  std::vector<std::string>& problems_;
  std::map<std::string, Type, std::less<>> types_;
};

class TargetReader {
 public:
  TargetDescription read(const pugi::xml_node& target) {
    TargetDescription& description = description_;
    description.architecture = target.child_value("architecture");
    description.os_abi = target.child_value("osabi");
    for (const pugi::xml_node& feature : target.children("feature")) read_feature(feature);
    std::ranges::stable_sort(registers_, {}, &Register::number);
    const auto twice = std::ranges::adjacent_find(registers_, {}, &Register::number);
    if (twice != registers_.end())
      throw std::runtime_error(fmt::format("registers {} and {} have the same number {}", twice->name,
                                           std::next(twice)->name, twice->number));
    if (!registers_.empty()) description.layout.emplace(description.architecture, std::move(registers_));
    return std::move(description_);
  }

 private:
  void read_feature(const pugi::xml_node& feature) {
    FeatureTypes types(feature, description_.problems);
    const std::string_view feature_name = feature.attribute("name").value();
    for (const pugi::xml_node& node : feature.children("reg")) {
      if (registers_.size() == kMaxRegisters) throw std::runtime_error("too many registers");
      Register reg;
      reg.name = node.attribute("name").value();
      const unsigned bits = node.attribute("bitsize").as_uint();
      if (bits == 0 || bits % 8 != 0 || bits > kMaxRegisterBits)
        throw std::runtime_error(fmt::format("register {} has {} bits", reg.name, bits));
      reg.size = bits / 8;
      if (!bytes_.take(reg.size)) throw std::runtime_error(bytes_.exceeded());
      reg.number = node.attribute("regnum").as_uint(next_number_);
      next_number_ = reg.number + 1;
      types.apply(node.attribute("type").as_string("int"), reg);
      const std::string_view group = node.attribute("group").value();
      reg.is_general = reg.form != ValueForm::Bytes && reg.form != ValueForm::Float && group != "float" &&
                       group != "vector" && !is_special_register(reg.name, feature_name);
      registers_.push_back(std::move(reg));
    }
  }

  TargetDescription description_;
  std::vector<Register> registers_;
  fxt::Budget bytes_{kRegisterBytes};
  unsigned next_number_ = 0;
};

}  // namespace

TargetDescription read_target_description(std::string_view xml) {
  xml.remove_prefix(std::min(xml.find_first_not_of(" \t\r\n"), xml.size()));
  if (xml.size() > kDescriptionText.of(0)) throw std::runtime_error(kDescriptionText.exceeded());
  pugi::xml_document document;
  const auto result = document.load_buffer(xml.data(), xml.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) throw std::runtime_error(fmt::format("{} at byte {}", result.description(), result.offset));
  const pugi::xml_node target = document.child("target");
  if (!target) throw std::runtime_error("no <target> element");
  return TargetReader().read(target);
}

}  // namespace convert::tfile
