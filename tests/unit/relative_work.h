/* relative_work.h - a relative feature of the computation of synthetic.h. */
#ifndef NITRO_TESTS_UNIT_RELATIVE_WORK_H
#define NITRO_TESTS_UNIT_RELATIVE_WORK_H

#include "unit/synthetic.h"

static const nitro_relative_feature work = {.name = "work",
                                            .unit = "rows/ms",
                                            .scale = NITRO_SCALE_LOG,
                                            .formula = "size / device.launch",
                                            .replaces = "size"};

#endif
