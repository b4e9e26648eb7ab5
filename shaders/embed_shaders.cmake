# Writes each shader with its local includes in it, and all of them as string literals of one C++ file:
# Metal compiles text at run time and finds no files. A header comes once in a shader, where it is named first.
#   cmake -DSOURCE_DIR=... -DLIBRARIES=a,b -DOUTPUT_DIR=... -P embed_shaders.cmake
cmake_minimum_required(VERSION 3.25)

# Appends the text of `file` to `text` in the caller, and the names of headers that it took in to `seen`.
function(read_shader file)
  file(READ ${SOURCE_DIR}/${file} rest)
  string(REPLACE "#pragma once\n" "" rest "${rest}")
  while(TRUE)
    string(REGEX MATCH "#include \"([A-Za-z0-9_.]+)\"\n" line "${rest}")
    if(line STREQUAL "")
      break()
    endif()
    set(header ${CMAKE_MATCH_1})
    string(FIND "${rest}" "${line}" at)
    string(LENGTH "${line}" length)
    string(SUBSTRING "${rest}" 0 ${at} before)
    math(EXPR after "${at} + ${length}")
    string(SUBSTRING "${rest}" ${after} -1 rest)
    string(APPEND text "${before}")
    if(NOT "|${header}|" IN_LIST seen)
      list(APPEND seen "|${header}|")
      read_shader(${header})
    endif()
  endwhile()
  string(APPEND text "${rest}")
  set(text "${text}" PARENT_SCOPE)
  set(seen "${seen}" PARENT_SCOPE)
endfunction()

string(REPLACE "," ";" libraries "${LIBRARIES}")
set(rows "")
foreach(library IN LISTS libraries)
  set(text "")
  set(seen "")
  read_shader(${library}.metal)
  if(text MATCHES "\\)metal\"")
    message(FATAL_ERROR "${library}.metal holds )metal\", which ends the literal that it is stored in")
  endif()
  file(WRITE ${OUTPUT_DIR}/${library}.metal "${text}")
  file(SHA256 ${OUTPUT_DIR}/${library}.metal hash)
  string(APPEND rows "    {\"${library}\", \"${hash}\", R\"metal(${text})metal\"},\n")
endforeach()
file(WRITE ${OUTPUT_DIR}/embedded_shaders.cc
"// Made from shaders/*.metal by shaders/embed_shaders.cmake.
#include \"shaders/embedded_shaders.h\"

namespace infer {
namespace {

constexpr EmbeddedShader kShaders[] = {
${rows}};

}  // namespace

std::span<const EmbeddedShader> EmbeddedShaders() { return kShaders; }

const EmbeddedShader* FindShader(std::string_view library) {
  for (const EmbeddedShader& shader : kShaders) {
    if (shader.library == library) return &shader;
  }
  return nullptr;
}

}  // namespace infer
")
