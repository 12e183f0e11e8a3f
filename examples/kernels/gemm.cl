/* C = A' B, all by rows: A is k x m, B is k x n, C' is n x m. A work-group makes MWG x NWG of C with
 * MDIMC x NDIMC items, from KWG rows of A and B at a time; with SA and SB these go through local
 * memory, loaded by MDIMA and NDIMB items a row. Items take VWM and VWN neighbours of a row, which
 * with STRM and STRN lie a stride apart. Sizes are multiples of the tiles. */
#define M_ITEM (MWG / MDIMC / VWM) /* vectors of an item */
#define N_ITEM (NWG / NDIMC / VWN)
#define ITEMS  (MDIMC * NDIMC)
#define AT(i, item, each, stride, is_strided) ((is_strided) ? (item) + (i) * (stride) : (i) + (item) * (each))

__kernel void gemm(int m_tiles, int n_tiles, int k_tiles, __global const FLOATS(VWM) *a,
                   __global const FLOATS(VWN) *b, __global FLOATS(VWM) *c)
{
    int x = get_local_id(0), y = get_local_id(1);
    int m = m_tiles * (MWG / VWM), n = n_tiles * (NWG / VWN), k = k_tiles * KWG;
    int m0 = get_group_id(0) * (MWG / VWM), n0 = get_group_id(1) * (NWG / VWN);
    FLOATS(VWM) sums[N_ITEM * VWN][M_ITEM], mine[M_ITEM];
    FLOATS(VWN) other[N_ITEM];
#if SA
    __local FLOATS(VWM) a_tile[KWG][MWG / VWM];
#endif
#if SB
    __local FLOATS(VWN) b_tile[KWG][NWG / VWN];
#endif
    for (int j = 0; j < N_ITEM * VWN; j++)
        for (int i = 0; i < M_ITEM; i++)
            for (int w = 0; w < VWM; w++)
                ((float *)&sums[j][i])[w] = 0;
    for (int k0 = 0; k0 < k; k0 += KWG) {
#if SA
        for (int row = (y * MDIMC + x) / MDIMA; row < KWG; row += ITEMS / MDIMA)
            for (int i = 0; i < MWG / VWM / MDIMA; i++) {
                int at = AT(i, (y * MDIMC + x) % MDIMA, MWG / VWM / MDIMA, MDIMA, STRM);
                a_tile[row][at] = a[(k0 + row) * m + m0 + at];
            }
#endif
#if SB
        for (int row = (y * MDIMC + x) / NDIMB; row < KWG; row += ITEMS / NDIMB)
            for (int i = 0; i < NWG / VWN / NDIMB; i++) {
                int at = AT(i, (y * MDIMC + x) % NDIMB, NWG / VWN / NDIMB, NDIMB, STRN);
                b_tile[row][at] = b[(k0 + row) * n + n0 + at];
            }
#endif
        if (SA || SB)
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll KWI
        for (int row = 0; row < KWG; row++) {
            for (int i = 0; i < M_ITEM; i++) {
                int at = AT(i, x, M_ITEM, MDIMC, STRM);
#if SA
                mine[i] = a_tile[row][at];
#else
                mine[i] = a[(k0 + row) * m + m0 + at];
#endif
            }
            for (int j = 0; j < N_ITEM; j++) {
                int at = AT(j, y, N_ITEM, NDIMC, STRN);
#if SB
                other[j] = b_tile[row][at];
#else
                other[j] = b[(k0 + row) * n + n0 + at];
#endif
            }
            for (int j = 0; j < N_ITEM * VWN; j++)
                for (int i = 0; i < M_ITEM; i++)
                    sums[j][i] += mine[i] * ((float *)other)[j];
        }
        if (SA || SB)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int j = 0; j < N_ITEM; j++)
        for (int w = 0; w < VWN; w++)
            for (int i = 0; i < M_ITEM; i++)
                c[((n0 + AT(j, y, N_ITEM, NDIMC, STRN)) * VWN + w) * m + m0 +
                  AT(i, x, M_ITEM, MDIMC, STRM)] = sums[j * VWN + w][i];
}
