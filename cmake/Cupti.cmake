# CUPTI's headers, of CUDA 13, where they are: its libraries are opened at run time, so neither nvcc
# nor a driver is needed to build the profiler. Otherwise a stub is built.

option(NITRO_CUPTI "Profile CUDA kernels (CUPTI's headers); if off or not installed, a stub reports how to enable it" ON)
set(nitro_with_cupti FALSE)
if(NITRO_CUPTI)
    find_path(CUPTI_INCLUDE_DIR cupti_range_profiler.h
        HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV CUDA_HOME ENV CUDA_PATH
        PATHS /usr/local/cuda PATH_SUFFIXES include extras/CUPTI/include NO_DEFAULT_PATH)
    find_path(CUDA_DRIVER_INCLUDE_DIR cuda.h
        HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV CUDA_HOME ENV CUDA_PATH
        PATHS /usr/local/cuda PATH_SUFFIXES include NO_DEFAULT_PATH)
    mark_as_advanced(CUPTI_INCLUDE_DIR CUDA_DRIVER_INCLUDE_DIR)
    set(cupti_version 0)
    if(CUPTI_INCLUDE_DIR AND CUDA_DRIVER_INCLUDE_DIR)
        file(STRINGS ${CUPTI_INCLUDE_DIR}/cupti_version.h cupti_version
            REGEX "define CUPTI_API_VERSION ")
        string(REGEX REPLACE "[^0-9]" "" cupti_version "${cupti_version}")
    endif()
    if(cupti_version GREATER_EQUAL 130000 AND cupti_version LESS 140000)
        set(nitro_with_cupti TRUE)
        # proxies/profilers/shim comes first: it has what one of them takes from C++.
        set(nitro_cupti_include_directories ${PROJECT_SOURCE_DIR}/proxies/profilers/shim ${CUPTI_INCLUDE_DIR}
            ${CUDA_DRIVER_INCLUDE_DIR})
    else()
        message(STATUS "CUPTI 13 not found: building a stub in place of NITRO_CUPTI")
    endif()
endif()
