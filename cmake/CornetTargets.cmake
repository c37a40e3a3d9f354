# Compile settings that every target of ours shares, and the function that declares a module.

add_library(cornet_settings INTERFACE)
target_compile_features(cornet_settings INTERFACE cxx_std_20)
# No contraction into fused operations: the same input gives the same bits on every machine.
target_compile_options(cornet_settings INTERFACE
  -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wcast-align
  $<$<BOOL:${CORNET_WERROR}>:-Werror>
  $<$<BOOL:${CORNET_ARCH}>:-march=${CORNET_ARCH}>)
if(CORNET_SANITIZE)
  target_compile_options(cornet_settings INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(cornet_settings INTERFACE -fsanitize=address,undefined)
endif()

# cornet_module(NAME HEADERS ... SOURCES ...): adds the files of a module to the library. HEADERS
# are public and installed; headers private to the module are listed under SOURCES.
function(cornet_module name)
  cmake_parse_arguments(MODULE "" "" "HEADERS;SOURCES" ${ARGN})
  list(TRANSFORM MODULE_HEADERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(cornet PRIVATE ${MODULE_SOURCES}
    PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${MODULE_HEADERS})
endfunction()
