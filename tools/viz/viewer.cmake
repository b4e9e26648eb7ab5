# Makes viewer.cc in the build folder from the checked-in bundle of the page.
# infer_viewer_pieces(FILE OUT): the file as raw string literals, each followed by a comma.
function(infer_viewer_pieces file out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(LENGTH "${text}" length)
  set(pieces "")
  set(begin 0)
  while(begin LESS length)
    string(SUBSTRING "${text}" ${begin} 16000 piece)
    string(APPEND pieces "      R\"__viewer__(${piece})__viewer__\",\n")
    math(EXPR begin "${begin} + 16000")
  endwhile()
  set(${out} "${pieces}" PARENT_SCOPE)
endfunction()

infer_viewer_pieces(page/dist/viewer.js viewer_script)
infer_viewer_pieces(page/dist/viewer.css viewer_style)
configure_file(viewer.cc.in ${CMAKE_CURRENT_BINARY_DIR}/viewer.cc @ONLY)
