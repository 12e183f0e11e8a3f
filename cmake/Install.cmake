# What `cmake --install` puts where. Nothing of it names the prefix: a tree that was installed can be
# moved, and `--prefix` at install time is enough. `--target uninstall` removes what the last one
# installed.
include(CMakePackageConfigHelpers)
set(nitro_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nitro)

# Components are what cmake/Package.cmake makes packages of; no component: the program's.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
install(TARGETS nitro EXPORT nitroTargets
    LIBRARY COMPONENT libraries NAMELINK_COMPONENT development)
install(TARGETS nitro_runtime nitro_runtime_static EXPORT nitroTargets
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development)
install(TARGETS nitro_plugin_redis nitro_plugin_download nitro_plugin_highway COMPONENT plugins
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/nitro${nitro_interface})
install(FILES nitro/nitro.h nitro/runtime.h nitro/tune.h nitro/nitro.hpp nitro/computation_kit.h
    nitro/cuda.hpp nitro/kernels.h nitro/nitro_backend.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nitro COMPONENT development)
install(DIRECTORY nitro/backend DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nitro COMPONENT development)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md"
    PATTERN "*.svg" PATTERN CMakeLists.txt EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(DIRECTORY data/computations data/devices data/proxies data/redis DESTINATION ${CMAKE_INSTALL_DATADIR}/nitro)

# Made once, and again where what determines their bytes has changed; never for each new program.
set(ship_models ON)
if(CMAKE_CROSSCOMPILING OR NITRO_SANITIZE OR NOT CMAKE_BUILD_TYPE MATCHES "^Rel")
    set(ship_models OFF)
endif()
option(NITRO_SHIP_MODELS "make and install models for hosts and for every NVIDIA card of data/devices" ${ship_models})
if(NITRO_SHIP_MODELS)
    file(GLOB determining CONFIGURE_DEPENDS data/recorded/* nitro/learn/*/*.c nitro/learn/*.c nitro/models/*.c
        features/device/model/*.c nitro/kit/inputs.c apps/matrix/*.c apps/histogram/*.c)
    set(models ${PROJECT_BINARY_DIR}/models)
    add_custom_command(OUTPUT ${models}/shipped.csv
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${models}
        COMMAND ${PROJECT_SOURCE_DIR}/data/recorded/make_models.sh $<TARGET_FILE:nitro_program> ${models}
        DEPENDS ${determining} data/devices/nvidia.csv
        COMMENT "Making the models that ship" VERBATIM)
    add_custom_target(shipped_models ALL DEPENDS ${models}/shipped.csv)
    add_dependencies(shipped_models nitro_program)
    if(TARGET nitro_wheel_parts)
        add_dependencies(nitro_wheel_parts shipped_models)
    endif()
    install(DIRECTORY ${models} DESTINATION ${CMAKE_INSTALL_DATADIR}/nitro COMPONENT models)
endif()

file(RELATIVE_PATH nitro_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" nitro_pc_to_prefix "${nitro_pc_to_prefix}")
foreach(package nitro nitro-runtime)
    configure_file(cmake/${package}.pc.in ${package}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${package}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

install(EXPORT nitroTargets NAMESPACE nitro:: DESTINATION ${nitro_cmake_dir}
    COMPONENT development)
configure_package_config_file(cmake/nitroConfig.cmake.in nitroConfig.cmake
    INSTALL_DESTINATION ${nitro_cmake_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(nitroConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/nitroConfig.cmake ${PROJECT_BINARY_DIR}/nitroConfigVersion.cmake
    cmake/nitroEmbed.cmake cmake/nitroSourceVersion.cmake
    DESTINATION ${nitro_cmake_dir} COMPONENT development)

add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
        -P ${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake
    VERBATIM)
