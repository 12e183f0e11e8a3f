/* NVIDIA's architectures by compute capability: properties of a multiprocessor that no driver
 * reports. From the CUDA C++ Programming Guide (compute capabilities; throughput of arithmetic
 * instructions). */
#include <math.h>
#include <stddef.h>

#include "features/device/cuda/cuda_kind.h"

/* The ratio is NAN where cards of one compute capability differ. */
static const nitro_cuda_architecture architectures[] = {
    {2, 0, "Fermi", 1, 32, NAN},        {2, 1, "Fermi", 1, 48, 12},
    {3, 0, "Kepler", 2, 192, 24},       {3, 2, "Kepler", 2, 192, 24},
    {3, 5, "Kepler", 2, 192, NAN},      {3, 7, "Kepler", 2, 192, 3},
    {5, 0, "Maxwell", 3, 128, 32},      {5, 2, "Maxwell", 3, 128, 32},
    {5, 3, "Maxwell", 3, 128, 32},      {6, 0, "Pascal", 4, 64, 2},
    {6, 1, "Pascal", 4, 128, 32},       {6, 2, "Pascal", 4, 128, 32},
    {7, 0, "Volta", 5, 64, 2},          {7, 2, "Volta", 5, 64, 2},
    {7, 5, "Turing", 6, 64, 32},        {8, 0, "Ampere", 7, 64, 2},
    {8, 6, "Ampere", 7, 128, 64},       {8, 7, "Ampere", 7, 128, 64},
    {8, 9, "Ada Lovelace", 8, 128, 64}, {9, 0, "Hopper", 9, 128, 2},
    {10, 0, "Blackwell", 10, 128, 2},   {10, 3, "Blackwell", 10, 128, 64},
    {12, 0, "Blackwell", 10, 128, 64},  {12, 1, "Blackwell", 10, 128, 64},
};

const nitro_cuda_architecture *nitro_cuda_architecture_find(double major, double minor)
{
    for (size_t i = 0; i < sizeof(architectures) / sizeof(architectures[0]); i++)
        if (architectures[i].major == major && architectures[i].minor == minor)
            return &architectures[i];
    return NULL;
}
