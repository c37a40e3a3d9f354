#include "view/page.h"

#include <stdexcept>

#include "cornet/io/format_error.h"

#ifdef CORNET_PAGE
// The file's bytes as they are; the assembler puts them into the program.
asm(".section .rodata\n"
    ".balign 16\n"
    "cornet_page_begin:\n"
    ".incbin \"" CORNET_PAGE
    "\"\n"
    "cornet_page_end:\n"
    ".byte 0\n"
    ".text\n");
extern "C" const char cornet_page_begin[], cornet_page_end[];
#endif

namespace cornet::app {
namespace {

constexpr std::string_view kSlot = "<script id=\"cornet-data\" type=\"application/json\"></script>";
constexpr std::string_view kSlotEnd = "</script>";

}  // namespace

std::string_view viewerPage() {
#ifdef CORNET_PAGE
  return {cornet_page_begin, static_cast<std::size_t>(cornet_page_end - cornet_page_begin)};
#else
  return {};
#endif
}

void requirePage() {
  if (viewerPage().empty()) {
    throw FileError("viewer/dist/index.html",
                    "this program was built without the viewer's page; ./do build makes it (./do "
                    "doctor says what is missing)");
  }
}

WebAnswer pageAnswer() { return {200, "text/html; charset=utf-8", std::string(viewerPage())}; }

std::string fillPage(std::string_view page, std::string_view json) {
  const auto at = page.find(kSlot);
  if (at == page.npos) throw std::logic_error("the viewer's page has no slot for data");
  const auto split = at + kSlot.size() - kSlotEnd.size();
  std::string filled;
  filled.reserve(page.size() + json.size());
  filled.append(page.substr(0, split)).append(json).append(page.substr(split));
  return filled;
}

}  // namespace cornet::app
