# Compile settings that every target of ours shares, and the function that declares a module.

add_library(cornet_settings INTERFACE)
target_compile_features(cornet_settings INTERFACE cxx_std_20)
# No contraction into fused operations: the same input gives the same bits on every machine.
target_compile_options(cornet_settings INTERFACE
  -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wcast-align
  $<$<BOOL:${CORNET_WERROR}>:-Werror>
  $<$<BOOL:${CORNET_ARCH}>:-march=${CORNET_ARCH}>)
# GCC looks for memory to free before it has taken much of it: an eighth of the time to compile.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(cornet_settings INTERFACE
    "SHELL:--param ggc-min-heapsize=524288" "SHELL:--param ggc-min-expand=400")
endif()
# oneTBB's target sets this in debug builds; those who take over the library's precompiled header need it too.
target_compile_definitions(cornet_settings INTERFACE $<$<CONFIG:Debug>:TBB_USE_DEBUG>)
if(CORNET_SANITIZE)
  # Null and beyond the end of an object: the address sanitizer stops there too, and compiling is a fifth faster.
  # Misaligned accesses are looked for on request: every access is one more check, a third of the time to compile.
  set(cornet_unchecked null,object-size)
  if(NOT CORNET_SANITIZE_ALIGNMENT)
    string(APPEND cornet_unchecked ,alignment)
  endif()
  target_compile_options(cornet_settings INTERFACE
    -fsanitize=address,undefined -fno-sanitize=${cornet_unchecked} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(cornet_settings INTERFACE -fsanitize=address,undefined)
endif()

# Headers of others that most files include, and types made of them, parsed once per kind of target. No header of the
# library is among them. That ours include what they need is seen by the examples, which are built without, and by
# the test tree.headers.
set(CORNET_COMMON_HEADERS <Eigen/Dense> <fmt/format.h>
  <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <numbers>
  <numeric> <optional> <span> <stdexcept> <string> <string_view> <utility> <variant> <vector>
  ${PROJECT_SOURCE_DIR}/cmake/common_types.h)

# cornet_module(NAME HEADERS ... SOURCES ...): adds the files of a module to the library. HEADERS
# are public and installed; headers private to the module are listed under SOURCES.
function(cornet_module name)
  cmake_parse_arguments(MODULE "" "" "HEADERS;SOURCES" ${ARGN})
  list(TRANSFORM MODULE_HEADERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(cornet PRIVATE ${MODULE_SOURCES}
    PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${MODULE_HEADERS})
endfunction()
