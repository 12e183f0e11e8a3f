# nitro_embed(FILES SYMBOL OUTPUT): writes OUTPUT, a C file that defines `const char SYMBOL[]`: text files, such as
# the sources of kernels, one after another as a string; the files stay its only source.
function(nitro_embed files symbol output)
    foreach(file IN LISTS files)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        file(READ ${file} text)
        string(APPEND literal "${text}")
    endforeach()
    string(REPLACE "\\" "\\\\" literal "${literal}")
    string(REPLACE "\"" "\\\"" literal "${literal}")
    string(REPLACE "\n" "\\n\"\n    \"" literal "\"${literal}\"")
    list(GET files -1 name)
    get_filename_component(name ${name} NAME)
    file(CONFIGURE OUTPUT ${output} CONTENT
        "/* Made by CMake from ${name}: change that file instead. */
extern const char @symbol@[];
const char @symbol@[] = @literal@;
" @ONLY)
endfunction()
