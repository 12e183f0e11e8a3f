# LIBSVM as Debian ships it: <libsvm/svm.h> and libsvm.so, no .pc file.
find_path(LibSVM_INCLUDE_DIR libsvm/svm.h)
find_library(LibSVM_LIBRARY svm)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibSVM REQUIRED_VARS LibSVM_LIBRARY LibSVM_INCLUDE_DIR)
if(LibSVM_FOUND AND NOT TARGET LibSVM::LibSVM)
    add_library(LibSVM::LibSVM UNKNOWN IMPORTED)
    set_target_properties(LibSVM::LibSVM PROPERTIES IMPORTED_LOCATION ${LibSVM_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${LibSVM_INCLUDE_DIR})
endif()
mark_as_advanced(LibSVM_INCLUDE_DIR LibSVM_LIBRARY)
