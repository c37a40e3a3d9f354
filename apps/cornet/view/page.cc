#include "view/page.h"

#include <stdexcept>

#include "cornet/io/format_error.h"
#include "view/deflate.h"

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
constexpr std::string_view kScriptEnd = "</script>";
constexpr std::string_view kModule = "<script type=\"module\">";
constexpr std::string_view kPackedModule = "<script id=\"cornet-code\" type=\"text/plain\">";
// Modules wait until the page is read; so does this one.
constexpr std::string_view kUnpack = R"(
<script>
addEventListener('DOMContentLoaded', async function () {
  try {
    var packed = atob(document.getElementById('cornet-code').textContent);
    var bytes = Uint8Array.from(packed, function (c) { return c.charCodeAt(0); });
    var code = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    var module = document.createElement('script');
    module.type = 'module';
    module.textContent = await new Response(code).text();
    document.head.append(module);
  } catch (error) {
    document.querySelector('.loading').textContent =
      'This page could not start: ' + error.message + '. A browser of 2023 or later is needed.';
  }
});
</script>)";

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
  const auto split = at + kSlot.size() - kScriptEnd.size();
  std::string filled;
  filled.reserve(page.size() + json.size());
  filled.append(page.substr(0, split)).append(json).append(page.substr(split));
  return filled;
}

std::string packPage(std::string_view page) {
  const auto begin = page.find(kModule);
  if (begin == page.npos) return std::string(page);
  const auto code = begin + kModule.size();
  const auto end = page.find(kScriptEnd, code);
  std::string packed(page.substr(0, begin));
  packed.append(kPackedModule).append(toBase64(deflateRaw(page.substr(code, end - code))));
  packed.append(kScriptEnd).append(kUnpack).append(page.substr(end + kScriptEnd.size()));
  return packed;
}

}  // namespace cornet::app
