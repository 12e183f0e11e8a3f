# Debian packages by `cpack -G DEB` in the build folder: the library, its plug-ins, what is needed to
# build with it, the program. What each depends on is read off its binaries.
set(CPACK_PACKAGE_NAME nitro-tuning)
set(CPACK_PACKAGE_VENDOR Nitro)
set(CPACK_PACKAGE_CONTACT "the authors of Nitro <nitro@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL libraries plugins development program)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME libnitro${nitro_interface})
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_RECOMMENDS "libnitro${nitro_interface}-plugins")
set(CPACK_DEBIAN_PLUGINS_PACKAGE_NAME libnitro${nitro_interface}-plugins)
set(CPACK_DEBIAN_PLUGINS_PACKAGE_DEPENDS "libnitro${nitro_interface} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libnitro-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libnitro${nitro_interface} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME nitro-tuning)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libnitro${nitro_interface} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS gnuplot-nox) # nitro report's pictures
include(CPack)

# cpack reads these while it installs a component.
include(CPackComponent)
cpack_add_component(libraries DESCRIPTION "Nitro's shared library.")
cpack_add_component(plugins DEPENDS libraries
    DESCRIPTION "What Nitro's library loads for Redis stores and for downloads.")
cpack_add_component(development DEPENDS libraries
    DESCRIPTION "Headers, pkg-config file and CMake package to build with Nitro's library.")
cpack_add_component(program DEPENDS libraries
    DESCRIPTION "The nitro command: measure variants, learn, decide, evaluate.")
