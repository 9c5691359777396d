// The target's own description of its registers: the XML text of the `tdesc` lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "converters/tfile/description/register_layout.h"

namespace convert::tfile {

struct TargetDescription {
  std::string architecture;  // empty when it does not say
  std::string os_abi;
  // The registers of all features, by number; nothing when the description lists none.
  std::optional<RegisterLayout> layout;
};

// Fact sheet, section 5. Throws std::runtime_error with the problem when the text is no usable description.
TargetDescription read_target_description(std::string_view xml);

}  // namespace convert::tfile
