# Debian packages by `cpack -G DEB` in the build folder: two libraries, plug-ins, what is needed to build
# with them, the tools, the Python package, the models that ship. What each depends on is read off its binaries;
# debian/policy.cmake adds what every package of Debian has.
set(CPACK_PACKAGE_NAME nitro)
set(CPACK_PACKAGE_VENDOR Nitro)
set(NITRO_MAINTAINER "The authors of Nitro <nitro@example.org>" CACHE STRING
    "Maintainer of the Debian packages, as NAME <ADDRESS>")
set(CPACK_PACKAGE_CONTACT ${NITRO_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "architecture-adaptive code variant tuning")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
    GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/policy.cmake)
set(CPACK_NITRO_SOURCE_DIR ${PROJECT_SOURCE_DIR})
set(CPACK_NITRO_STRIP ${CMAKE_STRIP})
set(CPACK_COMPONENTS_ALL runtime libraries plugins development program)
if(TARGET nitro_python)
    list(APPEND CPACK_COMPONENTS_ALL python)
endif()
if(NITRO_SHIP_MODELS)
    list(APPEND CPACK_COMPONENTS_ALL models)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(library libnitro${nitro_interface})
set(runtime_library libnitro-runtime${nitro_interface})
set(same_version "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${runtime_library})
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME ${library})
foreach(component RUNTIME LIBRARIES)
    set(CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
endforeach()
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_RECOMMENDS "${library}-plugins, nitro-models")
set(CPACK_DEBIAN_PLUGINS_PACKAGE_NAME ${library}-plugins)
set(CPACK_DEBIAN_PLUGINS_PACKAGE_DEPENDS "${library} ${same_version}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libnitro-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${library} ${same_version}, ${runtime_library} ${same_version}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME nitro-tools)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${library} ${same_version}")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-nitro)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "${library} ${same_version}, python3 (>= 3.9), python3-cffi-backend (>= 1.15)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS nitro-tools) # reports
set(CPACK_DEBIAN_MODELS_PACKAGE_NAME nitro-models)
set(CPACK_DEBIAN_MODELS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_MODELS_PACKAGE_SECTION misc)
include(CPack)

# cpack reads these while it installs a component.
include(CPackComponent)
cpack_add_component(runtime DESCRIPTION
    "The part of Nitro that decides which variant of a computation to run.
It needs libc and libm only.")
cpack_add_component(libraries DESCRIPTION
    "Nitro's library: measuring variants, stores of samples, learning models,
deciding.")
cpack_add_component(plugins DEPENDS libraries DESCRIPTION
    "What Nitro's library loads for Redis stores, for downloads, and for the variant
of sort that uses Highway.")
cpack_add_component(development DEPENDS libraries runtime DESCRIPTION
    "Headers for C and C++, pkg-config files, a CMake package, manual pages
and examples.")
cpack_add_component(program DEPENDS libraries DESCRIPTION
    "The nitro command: measure variants, learn models, decide, evaluate, report.
The guides.")
cpack_add_component(models DESCRIPTION
    "Models of Nitro's own computations, for hosts and for NVIDIA cards. Programs
and the nitro command use them until nitro tune has made a better one.")
cpack_add_component(python DEPENDS libraries DESCRIPTION
    "Nitro from Python: declare computations, tune, learn, evaluate, explain,
decide.")
