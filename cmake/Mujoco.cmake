# The robot library MuJoCo (Apache-2.0), from the package in .deps/mujoco (see deps/mujoco.txt). CORNET_MUJOCO: ON,
# OFF, or AUTO = when it is there. Sets CORNET_WITH_MUJOCO and makes the target cornet_mujoco_import.
set(CORNET_MUJOCO AUTO CACHE STRING "Robot models in MJCF and URDF by MuJoCo: ON, OFF, or AUTO")
set_property(CACHE CORNET_MUJOCO PROPERTY STRINGS AUTO ON OFF)
set(CORNET_WITH_MUJOCO OFF)
if(NOT CORNET_MUJOCO)
  return()
endif()

set(mujoco_pins ${PROJECT_SOURCE_DIR}/deps/mujoco.txt)
set(mujoco_stamp ${PROJECT_SOURCE_DIR}/.deps/mujoco/installed-deps)
set(mujoco_folder ${PROJECT_SOURCE_DIR}/.deps/mujoco/mujoco)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${mujoco_pins})
file(READ ${mujoco_pins} wanted)
string(REGEX MATCH "mujoco-core==([0-9.]+)" pin "${wanted}")
set(mujoco_name libmujoco.so.${CMAKE_MATCH_1})
set(installed "")
if(EXISTS ${mujoco_stamp} AND EXISTS ${mujoco_folder}/${mujoco_name})
  file(READ ${mujoco_stamp} installed)
endif()
if(NOT installed STREQUAL wanted)
  if(CORNET_MUJOCO STREQUAL "AUTO")
    message(STATUS "MuJoCo: not there, building without (./do build fetches it)")
    return()
  endif()
  message(FATAL_ERROR "CORNET_MUJOCO is ON, but the package of deps/mujoco.txt is not in .deps/mujoco; "
                      "./do build fetches it")
endif()

# In the build by its place; installed beside the library, by folder and file, for the package has no libmujoco.so.
add_library(cornet_mujoco_shared SHARED IMPORTED)
set_target_properties(cornet_mujoco_shared PROPERTIES IMPORTED_LOCATION ${mujoco_folder}/${mujoco_name})
add_library(cornet_mujoco_import INTERFACE)
set_target_properties(cornet_mujoco_import PROPERTIES EXPORT_NAME mujoco_import)
target_include_directories(cornet_mujoco_import SYSTEM INTERFACE $<BUILD_INTERFACE:${mujoco_folder}/include>)
set(mujoco_installed $<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/cornet-mujoco)
target_link_libraries(cornet_mujoco_import INTERFACE
  $<BUILD_INTERFACE:cornet_mujoco_shared> $<INSTALL_INTERFACE:-l:${mujoco_name}>)
target_link_options(cornet_mujoco_import INTERFACE
  $<INSTALL_INTERFACE:-L${mujoco_installed}> $<INSTALL_INTERFACE:-Wl,-rpath,${mujoco_installed}>)
install(TARGETS cornet_mujoco_import EXPORT cornetTargets)
install(FILES ${mujoco_folder}/${mujoco_name} DESTINATION ${CMAKE_INSTALL_LIBDIR}/cornet-mujoco)
set(CORNET_WITH_MUJOCO ON)
