# Run at build time with INFER (the binary), TOOLS (names of its links) and OUT: manual pages and completion scripts, as
# the binary itself prints them.
#
#   OUT/man1/infer-run.1  OUT/bash/infer-run  OUT/zsh/_infer_tools  OUT/fish/infer-run.fish
string(REPLACE "," ";" TOOLS "${TOOLS}")
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT}/man1 ${OUT}/bash ${OUT}/zsh ${OUT}/fish)

# print(FILE ARGUMENT...): what the binary prints with these arguments.
function(print file)
  execute_process(COMMAND ${INFER} ${ARGN} OUTPUT_FILE ${file} ERROR_VARIABLE error RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${INFER} ${ARGN} ended with ${code}: ${error}")
  endif()
endfunction()

print(${OUT}/man1/infer.1 --man)
# The script of `infer` has those of all tools in it, because it calls them.
print(${OUT}/bash/infer --completion bash)
print(${OUT}/zsh/all --completion zsh)
print(${OUT}/fish/infer.fish --completion fish)
foreach(tool IN LISTS TOOLS)
  print(${OUT}/man1/${tool}.1 ${tool} --man)
  print(${OUT}/bash/${tool} ${tool} --completion bash)
  print(${OUT}/fish/${tool}.fish ${tool} --completion fish)
endforeach()

# zsh loads the file at the first Tab and runs it; its last line answers that Tab too.
list(JOIN TOOLS " " commands)
file(READ ${OUT}/zsh/all scripts)
file(WRITE ${OUT}/zsh/_infer_tools
  "#compdef infer ${commands}\n${scripts}_bash_complete -o filenames -F _\${service//-/_}\n")
file(REMOVE ${OUT}/zsh/all)
