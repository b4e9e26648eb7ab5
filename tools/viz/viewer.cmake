# Makes viewer.cc in the build folder from the checked-in bundle of the page.
infer_embedded_text(page/dist/viewer.js viewer_script)
infer_embedded_text(page/dist/viewer.css viewer_style)
configure_file(viewer.cc.in ${CMAKE_CURRENT_BINARY_DIR}/viewer.cc @ONLY)
