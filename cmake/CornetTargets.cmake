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

# cornet_batches(TARGET NAME FILE...): with CORNET_UNITY these files of a target are compiled several at once, in the
# order given; all others alone. Names in unnamed namespaces are then to differ within a module or program.
set(CORNET_BATCH 8)
function(cornet_batches target name)
  if(NOT CORNET_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  list(FILTER ARGN INCLUDE REGEX "\\.cc$")
  set(count 0)
  foreach(file ${ARGN})
    math(EXPR batch "${count} / ${CORNET_BATCH}")
    math(EXPR count "${count} + 1")
    set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/${file} TARGET_DIRECTORY ${target}
      PROPERTIES UNITY_GROUP ${name}_${batch})
  endforeach()
endfunction()

# cornet_module(NAME HEADERS ... SOURCES ... ALONE ...): adds the files of a module to the library. HEADERS
# are public and installed; headers private to the module are listed under SOURCES. Sources with headers of
# others, whose macros are not for the rest, are listed under ALONE.
function(cornet_module name)
  cmake_parse_arguments(MODULE "" "" "HEADERS;SOURCES;ALONE" ${ARGN})
  list(TRANSFORM MODULE_HEADERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  cornet_batches(cornet ${folder} ${MODULE_SOURCES})
  target_sources(cornet PRIVATE ${MODULE_SOURCES} ${MODULE_ALONE}
    PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${MODULE_HEADERS})
endfunction()
