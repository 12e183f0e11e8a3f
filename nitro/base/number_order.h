/* number_order.h - maps doubles to integers in ascending order, and back, for bisection. Internal
 * to nitro/. */
#ifndef NITRO_BASE_NUMBER_ORDER_H
#define NITRO_BASE_NUMBER_ORDER_H

#include <stdint.h>
#include <string.h>

static inline int64_t nitro_order_of_number(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static inline double nitro_number_of_order(int64_t order)
{
    int64_t bits = order < 0 ? INT64_MIN - order : order;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
