# Libraries that a build may do without: a stub in their place says which option turns them on.

set(nitro_optional_dependencies)
set(nitro_redis_dependencies) # of plug-ins, which alone load them
set(nitro_download_dependencies)
set(nitro_highway_dependencies)

# Sets nitro_with_MODULE where the option is on and pkg-config knows the package, which becomes one of
# the DEPENDENCIES.
macro(nitro_optional_library option help module package dependencies)
    option(${option} "${help}; if off or not installed, a stub reports how to enable it" ON)
    set(nitro_with_${module} FALSE)
    if(${option})
        pkg_check_modules(${module} IMPORTED_TARGET ${package})
        if(${module}_FOUND)
            set(nitro_with_${module} TRUE)
            list(APPEND ${dependencies} PkgConfig::${module})
        else()
            message(STATUS "${package} not found: building a stub in place of ${option}")
        endif()
    endif()
endmacro()

nitro_optional_library(NITRO_PNG "PNG images as inputs of histogram (libpng)" png "libpng>=1.6"
    nitro_optional_dependencies)
nitro_optional_library(NITRO_ZLIB "Matrices and recorded tuning spaces compressed by gzip (zlib)" zlib zlib
    nitro_optional_dependencies)
nitro_optional_library(NITRO_REDIS "The Redis store (hiredis)" hiredis hiredis
    nitro_redis_dependencies)
if(nitro_with_hiredis)
    nitro_optional_library(NITRO_REDIS_TLS "rediss:// URLs (OpenSSL)" openssl "openssl>=1.1.1"
        nitro_redis_dependencies)
endif()
nitro_optional_library(NITRO_SODIUM "Publish and read bundles (libsodium; needs zstd too)" sodium
    libsodium nitro_optional_dependencies)
nitro_optional_library(NITRO_ZSTD "Publish and read bundles (zstd; needs libsodium too)" zstd
    libzstd nitro_optional_dependencies)
nitro_optional_library(NITRO_CURL "Download over HTTP(S) (libcurl)" curl "libcurl>=7.85"
    nitro_download_dependencies)
nitro_optional_library(NITRO_ARCHIVE "Unpack what nitro fetch downloads (libarchive)" archive
    libarchive nitro_download_dependencies)

# OpenCL's headers suffice: its loader is opened when it is asked for.
option(NITRO_OPENCL "The device kind opencl (OpenCL's headers); if off or not installed, a stub reports how to enable it" ON)
set(nitro_with_opencl FALSE)
if(NITRO_OPENCL)
    find_path(OpenCL_INCLUDE_DIR CL/cl.h)
    mark_as_advanced(OpenCL_INCLUDE_DIR)
    if(OpenCL_INCLUDE_DIR)
        set(nitro_with_opencl TRUE)
    else()
        message(STATUS "CL/cl.h not found: building a stub in place of NITRO_OPENCL")
    endif()
endif()

include(CheckLanguage)
check_language(CXX)
set(nitro_with_hwy FALSE)
if(CMAKE_CXX_COMPILER)
    nitro_optional_library(NITRO_HIGHWAY "The variant vector_quick of sort (Highway)" hwy "libhwy-contrib;libhwy"
        nitro_highway_dependencies)
endif()
if(nitro_with_hwy)
    enable_language(CXX)
    list(APPEND nitro_highway_dependencies stdc++)
endif()

set(nitro_with_bundles FALSE)
if(nitro_with_zstd AND nitro_with_sodium)
    set(nitro_with_bundles TRUE)
endif()
