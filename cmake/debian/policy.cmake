# Run by cpack on every package's files before they are packed: what Debian's policy asks for.
# Copyright and changelog, compressed manual pages, no paths to libraries in binaries, static libraries
# without debug information.

# compress FILE: reproducibly.
function(compress file)
    execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(author "${CPACK_PACKAGE_CONTACT}")
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${component} key)
    set(package ${CPACK_DEBIAN_${key}_PACKAGE_NAME})
    set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr)
    set(about ${root}/share/doc/${package})

    file(MAKE_DIRECTORY ${about})
    configure_file(${CPACK_NITRO_SOURCE_DIR}/cmake/debian/copyright ${about}/copyright COPYONLY)
    file(WRITE ${about}/changelog "nitro (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
        "  * See CHANGELOG.md.\n\n -- ${author}  ${now}\n")
    compress(${about}/changelog)
    file(REMOVE ${root}/share/doc/nitro/LICENSE) # the copyright file names it

    file(GLOB pages ${root}/share/man/man*/*)
    foreach(page IN LISTS pages)
        compress(${page})
    endforeach()
    file(GLOB_RECURSE objects ${root}/bin/* ${root}/lib/*.so ${root}/lib/*.so.*)
    foreach(object IN LISTS objects)
        if(NOT IS_SYMLINK ${object})
            file(RPATH_REMOVE FILE ${object})
        endif()
    endforeach()
    file(GLOB_RECURSE archives ${root}/lib/*.a)
    foreach(archive IN LISTS archives)
        execute_process(COMMAND ${CPACK_NITRO_STRIP} --strip-debug --remove-section=.comment
            --remove-section=.note --enable-deterministic-archives ${archive}
            COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
    execute_process(COMMAND chmod -R u=rwX,go=rX ${root} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
