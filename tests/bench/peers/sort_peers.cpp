/* std::sort, and pdqsort where Boost's headers are. */
#include <algorithm>
#if __has_include(<boost/sort/pdqsort/pdqsort.hpp>)
#include <boost/sort/pdqsort/pdqsort.hpp>
#define HAS_PDQSORT
#endif

#include "bench/peers/sort_peers.h"

template <typename Key, typename Sort> static void sort_as(void *keys, int64_t count, Sort sort)
{
    sort(static_cast<Key *>(keys), static_cast<Key *>(keys) + count);
}

static void sort_std(void *keys, int64_t count, bool is_wide)
{
    auto sort = [](auto *begin, auto *end) { std::sort(begin, end); };
    is_wide ? sort_as<double>(keys, count, sort) : sort_as<float>(keys, count, sort);
}

#ifdef HAS_PDQSORT
static void sort_pdq(void *keys, int64_t count, bool is_wide)
{
    auto sort = [](auto *begin, auto *end) { boost::sort::pdqsort(begin, end); };
    is_wide ? sort_as<double>(keys, count, sort) : sort_as<float>(keys, count, sort);
}
#endif

extern const sort_peer sort_peers[] = {
    {"std::sort", sort_std},
#ifdef HAS_PDQSORT
    {"pdqsort", sort_pdq},
#endif
    {nullptr, nullptr},
};
