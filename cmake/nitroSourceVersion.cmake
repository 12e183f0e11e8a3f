# nitro_source_version(TARGET NAME FILE...): defines NAME, for TARGET's own sources, as a string that
# changes with the bytes of the files: a variant's version that nobody forgets to raise.
#
#     nitro_source_version(mylib CSR_VERSION csr.c csr.h)
#     {.name = "csr", .version = CSR_VERSION, .run = csr}
#
# Every edit counts, also of a comment: `nitro tune` measures the variant again then. Where that is
# too eager, write versions by hand.
function(nitro_source_version target name)
    set(hashes)
    foreach(file IN LISTS ARGN)
        get_filename_component(path ${file} ABSOLUTE)
        file(SHA256 ${path} hash)
        string(APPEND hashes ${hash})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    endforeach()
    string(SHA256 version "${hashes}")
    string(SUBSTRING ${version} 0 12 version)
    target_compile_definitions(${target} PRIVATE ${name}="${version}")
endfunction()
