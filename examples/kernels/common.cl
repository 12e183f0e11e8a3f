/* common.cl - begins each of these sources, which OpenCL compilers and NVRTC take: vectors by their
 * width, and the sum of numbers that several work-groups add. */
#define float1         float
#define FLOATS_(width) float##width
#define FLOATS(width)  FLOATS_(width)
#define CEIL_DIV(a, b) (((a) + (b)-1) / (b))

void add_atomically(volatile __global float *to, float value)
{
    union {
        uint bits;
        float number;
    } old, sum;
    uint seen = 0; /* a guess: a plain read would race */
    do {
        old.bits = seen;
        sum.number = old.number + value;
        seen = atomic_cmpxchg((volatile __global uint *)to, old.bits, sum.bits);
    } while (seen != old.bits);
}
