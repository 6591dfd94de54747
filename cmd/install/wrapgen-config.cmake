# SPDX-License-Identifier: MIT
#
# find_package(wrapgen) gives
#
#   wrapgen_generate(TARGET target YAML file...
#       [HOST name] [NAME name] [OPTIONS option...] [CHECKED_IN folder] [SELFTEST])
#
# which adds to `target` the wrappers of the graphs and kernels in the files: <name>.c and <name>.h, which `target` and
# what links it can include, and links the host, a library that is built once from its sources. That library is also
# wrapgen::<host>, for targets that only call wrappers: wrapgen::native, wrapgen::dlpack, and after find_package(Torch)
# wrapgen::aoti and wrapgen::torch.
#
#   HOST        a built-in host (default: native), or a host.yaml of your own, whose library is then yours to link
#   NAME        of the files (default: <target>_wrappers)
#   OPTIONS     more of `wrapgen --help`, such as --check or -Werror
#   CHECKED_IN  the files are kept in this folder of the source tree. They are written by the target `codegen-write` and
#               compared by `codegen-check`, which fails when they are stale; a build uses them as they are, and says
#               so if they do not exist yet
#   SELFTEST    adds a test <name>_selftest for ctest: it compares the wrappers with an interpreter of the YAML
#
# The tool runs where the build runs. When cross-compiling it is looked for on the PATH, in the version of this package;
# WRAPGEN_EXECUTABLE says which one otherwise.
#
# Without an installation: FetchContent of wrapgen's sources, or of a folder share/wrapgen, does the same.
cmake_minimum_required(VERSION 3.20)
include_guard(GLOBAL)

get_filename_component(wrapgen_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(wrapgen_SHARE "${wrapgen_PREFIX}/share/wrapgen")

if(NOT WRAPGEN_EXECUTABLE AND NOT CMAKE_CROSSCOMPILING)
    find_program(WRAPGEN_EXECUTABLE wrapgen PATHS "${wrapgen_PREFIX}/bin" NO_DEFAULT_PATH)
endif()
find_program(WRAPGEN_EXECUTABLE wrapgen NO_CMAKE_FIND_ROOT_PATH)
if(NOT WRAPGEN_EXECUTABLE)
    set(wrapgen_FOUND FALSE)
    set(wrapgen_NOT_FOUND_MESSAGE "found no wrapgen that runs on this machine; set WRAPGEN_EXECUTABLE")
    return()
endif()

# Generated code and the sources of a host fit together in one version only.
execute_process(COMMAND "${WRAPGEN_EXECUTABLE}" --version OUTPUT_VARIABLE wrapgen_said OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT wrapgen_said STREQUAL "wrapgen ${wrapgen_VERSION}")
    set(wrapgen_FOUND FALSE)
    set(wrapgen_NOT_FOUND_MESSAGE
        "${WRAPGEN_EXECUTABLE} says it is '${wrapgen_said}', and this package is 'wrapgen ${wrapgen_VERSION}'")
    return()
endif()

# Sets `out` to the library of a host; the same library for all targets that ask for it. It may be called from a folder
# that does not see the variables of this file.
function(wrapgen_host host out)
    set(wrapgen_SHARE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../share/wrapgen")
    set(library wrapgen_host_${host})
    set(${out} ${library} PARENT_SCOPE)
    if(TARGET ${library})
        return()
    endif()
    set(folders "${wrapgen_SHARE}/core" "${wrapgen_SHARE}/hosts/${host}")
    if(host STREQUAL dlpack) # its tensors are those of native
        list(APPEND folders "${wrapgen_SHARE}/hosts/native")
    endif()
    set(sources)
    foreach(folder IN LISTS folders)
        file(GLOB found "${folder}/*.c" "${folder}/*.cpp")
        list(APPEND sources ${found})
    endforeach()
    add_library(${library} STATIC EXCLUDE_FROM_ALL ${sources})
    target_include_directories(${library} SYSTEM PUBLIC ${folders})
    set_target_properties(${library} PROPERTIES C_STANDARD 11 CXX_STANDARD 20 POSITION_INDEPENDENT_CODE ON)
    if(host STREQUAL aoti OR host STREQUAL torch)
        if(NOT TARGET torch)
            message(FATAL_ERROR "wrapgen_generate: the host ${host} is PyTorch; call find_package(Torch) first")
        endif()
        target_link_libraries(${library} PUBLIC torch ${CMAKE_DL_LIBS})
    endif()
    if(UNIX)
        target_link_libraries(${library} PUBLIC m)
    endif()
    add_library(wrapgen::${host} ALIAS ${library})
endfunction()

function(wrapgen_generate)
    set(wrapgen_SHARE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../share/wrapgen")
    cmake_parse_arguments(PARSE_ARGV 0 arg "SELFTEST" "TARGET;HOST;NAME;CHECKED_IN" "YAML;OPTIONS")
    if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
        message(FATAL_ERROR "wrapgen_generate: cannot use: ${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
    endif()
    if(NOT TARGET "${arg_TARGET}" OR NOT arg_YAML)
        message(FATAL_ERROR "wrapgen_generate: needs TARGET, which exists, and YAML, its files")
    endif()
    if(NOT arg_HOST)
        set(arg_HOST native)
    endif()
    if(NOT arg_NAME)
        set(arg_NAME ${arg_TARGET}_wrappers)
    endif()
    set(inputs)
    foreach(file IN LISTS arg_YAML)
        get_filename_component(file "${file}" ABSOLUTE)
        list(APPEND inputs "${file}")
    endforeach()
    set(folder "${CMAKE_CURRENT_BINARY_DIR}")
    if(arg_CHECKED_IN)
        get_filename_component(folder "${arg_CHECKED_IN}" ABSOLUTE)
    endif()
    set(source "${folder}/${arg_NAME}.c")
    set(header "${folder}/${arg_NAME}.h")
    set(command "${WRAPGEN_EXECUTABLE}" ${inputs} --out "${source}" --header "${header}" --host "${arg_HOST}"
        ${arg_OPTIONS})

    if(arg_CHECKED_IN)
        wrapgen_checked_in()
    else()
        wrapgen_built()
    endif()
    target_sources(${arg_TARGET} PRIVATE "${source}")
    target_include_directories(${arg_TARGET} PUBLIC "$<BUILD_INTERFACE:${folder}>")
    if(EXISTS "${wrapgen_SHARE}/hosts/${arg_HOST}")
        wrapgen_host(${arg_HOST} library)
        target_link_libraries(${arg_TARGET} PUBLIC ${library})
    else()
        target_include_directories(${arg_TARGET} SYSTEM PUBLIC "$<BUILD_INTERFACE:${wrapgen_SHARE}/core>")
    endif()
    if(arg_SELFTEST)
        wrapgen_selftest()
    endif()
endfunction()

# The parts of wrapgen_generate() are macros, to see its variables.

# The tool leaves files that would not change as they are, so a stamp says when it ran last.
macro(wrapgen_built)
    set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}.stamp")
    set(outputs "${source}" "${header}")
    if(arg_SELFTEST)
        set(selftest "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_selftest.c")
        list(APPEND outputs "${selftest}")
        list(APPEND command --emit-selftest "${selftest}")
    endif()
    add_custom_command(
        OUTPUT "${stamp}"
        BYPRODUCTS ${outputs}
        COMMAND ${command} --depfile "${stamp}.d" --deptarget "${stamp}"
        COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
        DEPENDS ${inputs} "${WRAPGEN_EXECUTABLE}"
        DEPFILE "${stamp}.d"
        COMMENT "wrapgen ${arg_NAME}"
        VERBATIM)
    add_custom_target(${arg_NAME}_generate DEPENDS "${stamp}")
    set_source_files_properties(${outputs} PROPERTIES GENERATED TRUE)
    add_dependencies(${arg_TARGET} ${arg_NAME}_generate)
endmacro()

macro(wrapgen_checked_in)
    foreach(name codegen-write codegen-check)
        if(NOT TARGET ${name})
            add_custom_target(${name})
        endif()
    endforeach()
    add_custom_target(${arg_NAME}_codegen
        COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
        COMMAND ${command}
        VERBATIM)
    add_custom_target(${arg_NAME}_codegen_check COMMAND ${command} --check VERBATIM)
    add_dependencies(codegen-write ${arg_NAME}_codegen)
    add_dependencies(codegen-check ${arg_NAME}_codegen_check)
    if(NOT EXISTS "${source}") # a tree is configured before its first `codegen-write`, and may be built before it
        set_source_files_properties("${source}" PROPERTIES GENERATED TRUE)
        set(look "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_there.cmake")
        file(WRITE "${look}" "if(NOT EXISTS \"${source}\")\n    message(FATAL_ERROR "
            "\"${source} is not there yet; this writes it:\\n  cmake --build ${CMAKE_BINARY_DIR} --target codegen-write\")\nendif()\n")
        add_custom_target(${arg_NAME}_there COMMAND "${CMAKE_COMMAND}" -P "${look}" VERBATIM)
        add_dependencies(${arg_TARGET} ${arg_NAME}_there)
    endif()
    if(arg_SELFTEST)
        # The wrappers that are made along with it go to a folder of their own: those in the source tree are tested.
        set(fresh "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_fresh")
        set(selftest "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_reference/selftest.c")
        file(MAKE_DIRECTORY "${fresh}" "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_reference")
        add_custom_command(
            OUTPUT "${selftest}"
            COMMAND "${WRAPGEN_EXECUTABLE}" ${inputs} --out "${fresh}/${arg_NAME}.c" --header "${fresh}/${arg_NAME}.h"
                --host "${arg_HOST}" ${arg_OPTIONS} --emit-selftest "${selftest}"
            DEPENDS ${inputs} "${WRAPGEN_EXECUTABLE}"
            VERBATIM)
    endif()
endmacro()

# The self-test includes the wrappers and has a host of its own.
macro(wrapgen_selftest)
    file(GLOB core "${wrapgen_SHARE}/core/*.c" "${wrapgen_SHARE}/selftest/*.c")
    add_executable(${arg_NAME}_selftest "${selftest}" ${core})
    target_include_directories(${arg_NAME}_selftest PRIVATE "${folder}")
    target_include_directories(${arg_NAME}_selftest SYSTEM PRIVATE "${wrapgen_SHARE}/core" "${wrapgen_SHARE}/selftest")
    set_target_properties(${arg_NAME}_selftest PROPERTIES C_STANDARD 11)
    foreach(before ${arg_NAME}_generate ${arg_NAME}_there)
        if(TARGET ${before})
            add_dependencies(${arg_NAME}_selftest ${before})
        endif()
    endforeach()
    if(EXISTS "${wrapgen_SHARE}/hosts/${arg_HOST}")
        target_include_directories(${arg_NAME}_selftest SYSTEM PRIVATE "${wrapgen_SHARE}/hosts/${arg_HOST}")
    endif()
    add_test(NAME ${arg_NAME}_selftest COMMAND ${arg_NAME}_selftest)
endmacro()

# Hosts are there before anything is generated, as far as they can be compiled.
get_property(wrapgen_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("C" IN_LIST wrapgen_languages)
    wrapgen_host(native wrapgen_library)
    wrapgen_host(dlpack wrapgen_library)
    if(TARGET torch AND "CXX" IN_LIST wrapgen_languages)
        wrapgen_host(aoti wrapgen_library)
        wrapgen_host(torch wrapgen_library)
    endif()
endif()

message(STATUS "Found wrapgen ${wrapgen_VERSION}: ${WRAPGEN_EXECUTABLE}")
