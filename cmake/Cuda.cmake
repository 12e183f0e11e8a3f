# The CUDA toolkit, where it is: kernels are compiled, and the CUDA runtime becomes a part of libnitro,
# so that one binary serves machines with and without a driver. Everything else of the toolkit (CUPTI,
# NVML, cuSPARSE) is opened when it is asked for. Stubs stand in elsewhere.

option(NITRO_CUDA "The device kind cuda (nvcc); if off or not installed, a stub reports how to enable it" ON)
set(NITRO_CUDA_ARCHITECTURES "75-virtual;80;90" CACHE STRING
    "What kernels are compiled for, as CMAKE_CUDA_ARCHITECTURES takes it; the default runs on all \
GPUs from Turing on, some after the driver translated it")
set(nitro_with_cuda FALSE)
if(NITRO_CUDA AND NOT NITRO_SANITIZE)
    include(CheckLanguage)
    set(CMAKE_CUDA_ARCHITECTURES ${NITRO_CUDA_ARCHITECTURES})
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        enable_language(CUDA)
        find_package(CUDAToolkit REQUIRED)
        set(nitro_with_cuda TRUE)
        set(CMAKE_CUDA_STANDARD 17)
        set(CMAKE_CUDA_STANDARD_REQUIRED ON)
        set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
        # Designated initialisers leave out what is zero; C++ warns of that, and C does not.
        add_compile_options(
            $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fno-exceptions,-Wall,-Wextra,-Wno-missing-field-initializers>)
        # A third of the size: each program has the kernels. Drivers for CUDA 13 can read it.
        if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
            add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size>)
        endif()
        if(NITRO_WERROR)
            add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings>)
        endif()
        # Kernels are C++; the library that it needs is LIBSVM's too.
        list(APPEND nitro_optional_dependencies CUDA::cudart_static stdc++)
    else()
        message(STATUS "nvcc not found: building stubs in place of NITRO_CUDA")
    endif()
endif()
