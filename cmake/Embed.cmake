# A text file as a string in the library; the file stays its only source.
# nitro_embed(FILE SYMBOL OUTPUT): writes OUTPUT, a C file that defines `const char SYMBOL[]`.
function(nitro_embed file symbol output)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} literal)
    string(REPLACE "\\" "\\\\" literal "${literal}")
    string(REPLACE "\"" "\\\"" literal "${literal}")
    string(REPLACE "\n" "\\n\"\n    \"" literal "\"${literal}\"")
    get_filename_component(name ${file} NAME)
    file(CONFIGURE OUTPUT ${output} CONTENT
        "/* Made by CMake from ${name}: change that file instead. */
extern const char @symbol@[];
const char @symbol@[] = @literal@;
" @ONLY)
endfunction()
