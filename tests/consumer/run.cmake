# Installs cornet into a scratch folder, builds the consumer against it there, and runs it.
set(scratch "${CORNET_BINARY_DIR}/consumer")
file(REMOVE_RECURSE "${scratch}")
file(COPY "${PROJECT}/" DESTINATION "${scratch}/source")

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${ARGV}")
  endif()
endfunction()

run("${CMAKE_COMMAND}" --install "${CORNET_BINARY_DIR}" --prefix "${scratch}/prefix")
run("${CMAKE_COMMAND}" -S "${scratch}/source" -B "${scratch}/build" -G Ninja
    "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}" "-DCMAKE_PREFIX_PATH=${scratch}/prefix")
run("${CMAKE_COMMAND}" --build "${scratch}/build")
run("${scratch}/build/consumer")
run("${scratch}/prefix/bin/cornet" demo)
