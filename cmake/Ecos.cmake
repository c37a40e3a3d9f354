# The conic solver ECOS (GPL-3), built from its source package in .deps/ (see deps/ecos.txt) into the
# static library cornet_ecos_c. CORNET_ECOS: ON, OFF, or AUTO = when the package is there.
# Sets CORNET_WITH_ECOS.
set(CORNET_ECOS AUTO CACHE STRING "Build cornet::ecos (GPL-3): ON, OFF, or AUTO")
set_property(CACHE CORNET_ECOS PROPERTY STRINGS AUTO ON OFF)
set(CORNET_WITH_ECOS OFF)
if(NOT CORNET_ECOS)
  return()
endif()

file(STRINGS ${PROJECT_SOURCE_DIR}/deps/ecos.txt pin REGEX "^ecos==")
string(REGEX MATCH "^ecos==([0-9.]+) --hash=sha256:([0-9a-f]+)" pin "${pin}")
set(ecos_name ecos-${CMAKE_MATCH_1})
set(ecos_hash ${CMAKE_MATCH_2})
set(archive ${PROJECT_SOURCE_DIR}/.deps/${ecos_name}.tar.gz)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/deps/ecos.txt)
if(NOT EXISTS ${archive})
  if(CORNET_ECOS STREQUAL "AUTO")
    message(STATUS "ECOS: not there, building without (./do build fetches it)")
    return()
  endif()
  message(FATAL_ERROR "CORNET_ECOS is ON, but ${archive} is not there; ./do build fetches it")
endif()
file(SHA256 ${archive} found)
if(NOT found STREQUAL ecos_hash)
  message(FATAL_ERROR "${archive} is not the package of deps/ecos.txt: sha256 ${found}, expected "
                      "${ecos_hash}. Remove it and run ./do build")
endif()

set(ecos_dir ${PROJECT_BINARY_DIR}/ecos/${ecos_name}/ecos)
if(NOT EXISTS ${ecos_dir})
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${PROJECT_BINARY_DIR}/ecos)
endif()
enable_language(C)
file(GLOB sources CONFIGURE_DEPENDS ${ecos_dir}/src/*.c ${ecos_dir}/external/amd/src/*.c)
add_library(cornet_ecos_c STATIC ${sources} ${ecos_dir}/external/ldl/src/ldl.c)
set_target_properties(cornet_ecos_c PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
target_include_directories(cornet_ecos_c SYSTEM
  PUBLIC $<BUILD_INTERFACE:${ecos_dir}/include> $<BUILD_INTERFACE:${ecos_dir}/external/SuiteSparse_config>
  PRIVATE ${ecos_dir}/external/amd/include ${ecos_dir}/external/ldl/include)
# 64-bit indices; no signal handler; foreign code, so its warnings are not ours.
target_compile_definitions(cornet_ecos_c PUBLIC DLONG LDL_LONG CTRLC=0)
target_compile_options(cornet_ecos_c PRIVATE -w -ffp-contract=off)
# Its copy of AMD must not be mixed up with the AMD that the core links.
foreach(name l_order l_defaults l_control l_info l1 l2 l_valid l_aat l_postorder l_post_tree l_preprocess
        malloc free realloc calloc printf)
  target_compile_definitions(cornet_ecos_c PRIVATE amd_${name}=ecos_amd_${name})
endforeach()
if(CORNET_SANITIZE)
  target_compile_options(cornet_ecos_c PRIVATE -fsanitize=address -fno-omit-frame-pointer)
endif()
target_link_libraries(cornet_ecos_c PUBLIC m)
set(CORNET_WITH_ECOS ON)
