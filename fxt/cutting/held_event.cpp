#include "fxt/cutting/held_event.h"

#include <cstring>
#include <span>

namespace fxt {
namespace {

// Calls `visit` with every text and every blob, as a view that `visit` may redirect.
template <typename Visit>
void for_each_text(Event& event, std::vector<Argument>& arguments, Visit visit) {
  visit(event.category.text);
  visit(event.name.text);
  for (Argument& argument : arguments) {
    visit(argument.name.text);
    if (auto* const text = std::get_if<String>(&argument.value)) visit(text->text);
    if (auto* const bytes = std::get_if<Bytes>(&argument.value)) {
      std::string_view text(reinterpret_cast<const char*>(bytes->bytes.data()), bytes->bytes.size());
      visit(text);
      bytes->bytes = std::as_bytes(std::span(text));
    }
  }
}

}  // namespace

void HeldEvent::assign(const Event& event) {
  arguments_.assign(event.arguments.begin(), event.arguments.end());
  // Values of unknown types can't be written.
  std::erase_if(arguments_, [](const Argument& argument) {
    return std::holds_alternative<UnknownValue>(argument.value);
  });
  event_ = event;
  event_.arguments = {};
  // Indices may have changed their meaning when the copy is written.
  event_.category.index = event_.name.index = 0;
  event_.thread.index = 0;
  std::size_t size = 0;
  for_each_text(event_, arguments_, [&size](std::string_view& text) { size += text.size(); });
  bytes_.resize(size);
  char* at = bytes_.data();
  for_each_text(event_, arguments_, [&at](std::string_view& text) {
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    text = {at, text.size()};
    at += text.size();
  });
}

Event HeldEvent::event() const {
  Event event = event_;
  event.arguments = Arguments(arguments_);
  return event;
}

void HeldObject::assign(const KernelObject& object) {
  parts_.assign(Event{.name = object.name, .arguments = object.arguments});
  kernel_ = object;
  const Event held = parts_.event();
  kernel_.name = held.name;
  kernel_.arguments = held.arguments;
}

void HeldObject::assign(const UserspaceObject& object) {
  parts_.assign(Event{.name = object.name, .arguments = object.arguments});
  userspace_ = object;
  const Event held = parts_.event();
  userspace_.name = held.name;
  userspace_.arguments = held.arguments;
}

}  // namespace fxt
