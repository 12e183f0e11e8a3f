/* In place of spmv_eigen.cpp where Eigen's headers are not installed. */
#include "bench/peers/spmv_libraries.h"

static const char *problem(void)
{
    return "Eigen's headers were not found when this was built: install them (Debian: "
           "libeigen3-dev), or set Eigen3_DIR, and configure again";
}

const spmv_library spmv_library_eigen = {.name = "eigen", .problem = problem};
