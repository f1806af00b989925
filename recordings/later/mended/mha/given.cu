#include <cuda_runtime.h>
#include <math.h>

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// two floats to one register of two halves (x0 in the low half)
__device__ __forceinline__ unsigned pack2(float x0, float x1) {
    unsigned r;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(x1), "f"(x0));
    return r;
}
__device__ __forceinline__ void unpack2(unsigned r, float& x0, float& x1) {
    asm("{\n\t.reg .b16 lo, hi;\n\tmov.b32 {lo, hi}, %2;\n\tcvt.f32.f16 %0, lo;\n\tcvt.f32.f16 %1, hi;\n\t}"
        : "=f"(x0), "=f"(x1) : "r"(r));
}
// x = hi + lo, both parts FP16
__device__ __forceinline__ void split2(float x0, float x1, unsigned& hi, unsigned& lo) {
    float f0, f1;
    hi = pack2(x0, x1);
    unpack2(hi, f0, f1);
    lo = pack2(x0 - f0, x1 - f1);
}

__device__ __forceinline__ void mma16(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void mma8(float (&c)[4], const unsigned (&a)[4], unsigned b0) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};\n"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(b0));
}
// product over one step of the head's columns (16, or 8 when DK is 8)
template <int DK>
__device__ __forceinline__ void mmaq(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    if constexpr (DK == 8) mma8(c, a, b0);
    else mma16(c, a, b0, b1);
}

// power of two that brings a tile with this largest magnitude to 2^14 .. 2^15, and its inverse
__device__ __forceinline__ void tile_scale(float mx, float& sc, float& inv) {
    unsigned m = __reduce_max_sync(0xffffffffu, __float_as_uint(mx));
    int e = max((int)(m >> 23), 15);
    sc = __uint_as_float((unsigned)(268 - e) << 23);
    inv = __uint_as_float((unsigned)(e - 14) << 23);
}

// Column of a lane's e-th value (e = 0 .. DK/4-1) of a Q or K row.
template <int DK>
__device__ __forceinline__ int qkcol(int t4, int e) {
    if constexpr (DK == 8) return t4 * 2 + e;
    else return (e >> 2) * 16 + t4 * 4 + (e & 3);
}

// A lane's share of one Q or K row (row points at the head's first column).
template <int DK, bool FULL>
__device__ __forceinline__ void load_qk(float (&d)[DK / 4], const float* __restrict__ row, bool ok, int t4, int dk) {
    if constexpr (FULL) {
        if constexpr (DK == 8) {
            float2 v = ok ? __ldg(reinterpret_cast<const float2*>(row + t4 * 2)) : make_float2(0.f, 0.f);
            d[0] = v.x;
            d[1] = v.y;
        } else {
#pragma unroll
            for (int i = 0; i < DK / 16; i++) {
                float4 v = ok ? __ldg(reinterpret_cast<const float4*>(row + i * 16 + t4 * 4)) : make_float4(0.f, 0.f, 0.f, 0.f);
                d[4 * i] = v.x;
                d[4 * i + 1] = v.y;
                d[4 * i + 2] = v.z;
                d[4 * i + 3] = v.w;
            }
        }
    } else {
#pragma unroll
        for (int e = 0; e < DK / 4; e++) {
            int j = qkcol<DK>(t4, e);
            d[e] = (ok && j < dk) ? __ldg(row + j) : 0.f;
        }
    }
}

// A lane's share of one V row: columns g*KD .. g*KD + KD-1.
template <int DK, bool FULL>
__device__ __forceinline__ void load_v(float (&d)[DK / 8], const float* __restrict__ row, bool ok, int g, int dk) {
    constexpr int KD = DK / 8;
    if constexpr (FULL) {
        if constexpr (KD == 1) {
            d[0] = ok ? __ldg(row + g) : 0.f;
        } else if constexpr (KD == 2) {
            float2 v = ok ? __ldg(reinterpret_cast<const float2*>(row + g * 2)) : make_float2(0.f, 0.f);
            d[0] = v.x;
            d[1] = v.y;
        } else {
#pragma unroll
            for (int i = 0; i < KD / 4; i++) {
                float4 v = ok ? __ldg(reinterpret_cast<const float4*>(row + g * KD + i * 4)) : make_float4(0.f, 0.f, 0.f, 0.f);
                d[4 * i] = v.x;
                d[4 * i + 1] = v.y;
                d[4 * i + 2] = v.z;
                d[4 * i + 3] = v.w;
            }
        }
    } else {
#pragma unroll
        for (int e = 0; e < KD; e++) {
            int j = g * KD + e;
            d[e] = (ok && j < dk) ? __ldg(row + j) : 0.f;
        }
    }
}

// General path: one block per (query, head), any d_k.
__device__ void general_path(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V,
                             float* out, int N, int ld, int h, int dk, float c, float* sm) {
    const int TK = 128;
    int n = blockIdx.x / h, t = blockIdx.x % h;
    int tid = threadIdx.x, nt = blockDim.x, lane = tid & 31, w = tid >> 5, nw = nt >> 5;
    const float* q = Q + (size_t)n * ld + (size_t)t * dk;
    float* o = out + (size_t)n * ld + (size_t)t * dk;
    float m = -INFINITY, l = 0.f;
    for (int k0 = 0; k0 < N; k0 += TK) {
        int cnt = min(TK, N - k0);
        for (int k = w; k < cnt; k += nw) {
            const float* kr = K + (size_t)(k0 + k) * ld + (size_t)t * dk;
            float s = 0.f;
            for (int j = lane; j < dk; j += 32) s = fmaf(q[j], kr[j], s);
            for (int x = 16; x; x >>= 1) s += __shfl_xor_sync(0xffffffffu, s, x);
            if (lane == 0) sm[k] = s;
        }
        __syncthreads();
        float mn = m;
        for (int k = lane; k < cnt; k += 32) mn = fmaxf(mn, sm[k]);
        for (int x = 16; x; x >>= 1) mn = fmaxf(mn, __shfl_xor_sync(0xffffffffu, mn, x));
        float ls = 0.f;
        for (int k = lane; k < cnt; k += 32) {
            float p = ex2((sm[k] - mn) * c);
            ls += p;
            if (w == 0) sm[TK + k] = p;
        }
        for (int x = 16; x; x >>= 1) ls += __shfl_xor_sync(0xffffffffu, ls, x);
        float corr = ex2((m - mn) * c);
        l = l * corr + ls;
        m = mn;
        __syncthreads();
        bool last = (k0 + TK >= N);
        float inv = last ? 1.f / l : 1.f;
        for (int j = tid; j < dk; j += nt) {
            float a = (k0 == 0) ? 0.f : o[j] * corr;
            const float* v = V + (size_t)k0 * ld + (size_t)t * dk + j;
#pragma unroll 4
            for (int k = 0; k < cnt; k++) a = fmaf(sm[TK + k], v[(size_t)k * ld], a);
            o[j] = a * inv;
        }
        __syncthreads();
    }
}

// Fragments of 16 keys: kf[b*KQ + kk] = high parts (x, y), low parts (z, w) of key block b, column step kk
template <int DK>
__device__ __forceinline__ void make_k(const float (&kr)[2][DK / 4], uint4 (&kf)[DK == 8 ? 2 : DK / 8], float& kinv) {
    constexpr int KQ = (DK == 8) ? 1 : DK / 16;
    float mx = 0.f;
#pragma unroll
    for (int b = 0; b < 2; b++)
#pragma unroll
        for (int e = 0; e < DK / 4; e++) mx = fmaxf(mx, fabsf(kr[b][e]));
    float sc;
    tile_scale(mx, sc, kinv);
#pragma unroll
    for (int b = 0; b < 2; b++)
#pragma unroll
        for (int kk = 0; kk < KQ; kk++) {
            uint4 f = make_uint4(0u, 0u, 0u, 0u);
            split2(kr[b][4 * kk] * sc, kr[b][4 * kk + 1] * sc, f.x, f.z);
            if constexpr (DK > 8) split2(kr[b][4 * kk + 2] * sc, kr[b][4 * kk + 3] * sc, f.y, f.w);
            kf[b * KQ + kk] = f;
        }
}

// Fragments of 16 values: vf[x] = high parts (x, y), low parts (z, w) of column block x
template <int DK>
__device__ __forceinline__ void make_v(const float (&vr)[2][2][DK / 8], uint4 (&vf)[DK / 8], float& vinv) {
    float mx = 0.f;
#pragma unroll
    for (int b = 0; b < 2; b++)
#pragma unroll
        for (int y = 0; y < 2; y++)
#pragma unroll
            for (int x = 0; x < DK / 8; x++) mx = fmaxf(mx, fabsf(vr[b][y][x]));
    float sc;
    tile_scale(mx, sc, vinv);
#pragma unroll
    for (int x = 0; x < DK / 8; x++) {
        uint4 f;
        split2(vr[0][0][x] * sc, vr[0][1][x] * sc, f.x, f.z);
        split2(vr[1][0][x] * sc, vr[1][1][x] * sc, f.y, f.w);
        vf[x] = f;
    }
}

// A lane's share of 16 keys and values from row n0 on (rows from nend on read as zero).
template <int DK, bool FULL>
__device__ __forceinline__ void load_k16(float (&kr)[2][DK / 4], const float* __restrict__ Kh, int n0, int nend, int ld, int g, int t4, int dk) {
#pragma unroll
    for (int b = 0; b < 2; b++) {
        int n = n0 + b * 8 + g;
        load_qk<DK, FULL>(kr[b], Kh + (size_t)n * ld, n < nend, t4, dk);
    }
}
template <int DK, bool FULL>
__device__ __forceinline__ void load_v16(float (&vr)[2][2][DK / 8], const float* __restrict__ Vh, int n0, int nend, int ld, int g, int t4, int dk) {
#pragma unroll
    for (int b = 0; b < 2; b++)
#pragma unroll
        for (int y = 0; y < 2; y++) {
            int n = n0 + b * 8 + 2 * t4 + y;
            load_v<DK, FULL>(vr[b][y], Vh + (size_t)n * ld, n < nend, g, dk);
        }
}

// Where a step's fragments come from: registers or shared memory
template <int NF>
struct RegFrag {
    const uint4 (&f)[NF];
    __device__ __forceinline__ uint4 operator()(int i) const { return f[i]; }
};
struct ShFrag {
    const uint4* p;  // already at this lane
    __device__ __forceinline__ uint4 operator()(int i) const { return p[i * 32]; }
};

// 16 queries against 16 keys, of which the first left (at least one) are real.
// m is a lazy base: it is moved to 9 below the row's largest score only when a score exceeds it by more than 15.
template <int DK, class FK, class FV>
__device__ __forceinline__ void step16(FK kfr, FV vfr, float f, float vinv,
                                       const unsigned (&qh)[DK == 8 ? 1 : DK / 16][4], const unsigned (&ql)[DK == 8 ? 1 : DK / 16][4],
                                       float (&o)[DK / 8][4], float (&m)[2], float (&l)[2], int left, int t4) {
    constexpr int KQ = (DK == 8) ? 1 : DK / 16;
    constexpr int KD = DK / 8;
    f = fmaxf(f, 1e-37f);  // never zero: masked scores are -inf * f
    float s[2][4], sl[2][4];
#pragma unroll
    for (int b = 0; b < 2; b++)
#pragma unroll
        for (int r = 0; r < 4; r++) { s[b][r] = 0.f; sl[b][r] = 0.f; }
#pragma unroll
    for (int kk = 0; kk < KQ; kk++) {
        uint4 k0 = kfr(kk), k1 = kfr(KQ + kk);
        mmaq<DK>(sl[0], ql[kk], k0.x, k0.y);
        mmaq<DK>(sl[1], ql[kk], k1.x, k1.y);
        mmaq<DK>(s[0], qh[kk], k0.x, k0.y);
        mmaq<DK>(s[1], qh[kk], k1.x, k1.y);
        mmaq<DK>(sl[0], qh[kk], k0.z, k0.w);
        mmaq<DK>(sl[1], qh[kk], k1.z, k1.w);
    }
#pragma unroll
    for (int b = 0; b < 2; b++)
#pragma unroll
        for (int r = 0; r < 4; r++) s[b][r] += sl[b][r];
    if (left < 16) {
#pragma unroll
        for (int b = 0; b < 2; b++)
#pragma unroll
            for (int r = 0; r < 4; r++)
                if (b * 8 + 2 * t4 + (r & 1) >= left) s[b][r] = -INFINITY;
    }
    float t0 = fmaxf(fmaxf(s[0][0], s[0][1]), fmaxf(s[1][0], s[1][1]));
    float t1 = fmaxf(fmaxf(s[0][2], s[0][3]), fmaxf(s[1][2], s[1][3]));
    bool grow = (fmaf(t0, f, -m[0]) > 15.f) || (fmaf(t1, f, -m[1]) > 15.f);
    if (__any_sync(0xffffffffu, grow)) {
        float t[2] = {t0, t1};
        float corr[2];
#pragma unroll
        for (int u = 0; u < 2; u++) {
            float mx = fmaxf(t[u], __shfl_xor_sync(0xffffffffu, t[u], 1));
            mx = fmaxf(mx, __shfl_xor_sync(0xffffffffu, mx, 2));
            mx *= f;
            float mn = (mx - m[u] > 15.f) ? mx - 9.f : m[u];
            corr[u] = ex2(m[u] - mn);
            m[u] = mn;
            l[u] *= corr[u];
        }
#pragma unroll
        for (int x = 0; x < KD; x++)
#pragma unroll
            for (int r = 0; r < 4; r++) o[x][r] *= corr[r >> 1];
    }
#pragma unroll
    for (int u = 0; u < 2; u++) {
        float sum = 0.f;
#pragma unroll
        for (int b = 0; b < 2; b++)
#pragma unroll
            for (int v = 0; v < 2; v++) {
                float p = ex2(fmaf(s[b][2 * u + v], f, -m[u]));
                s[b][2 * u + v] = p;
                sum += p;
            }
        l[u] += sum;  // per lane; lanes are summed at the end
    }
    unsigned ph[4], pl[4];
    split2(s[0][0], s[0][1], ph[0], pl[0]);
    split2(s[0][2], s[0][3], ph[1], pl[1]);
    split2(s[1][0], s[1][1], ph[2], pl[2]);
    split2(s[1][2], s[1][3], ph[3], pl[3]);
    // at most four column blocks at a time
    constexpr int XB = KD < 4 ? KD : 4;
#pragma unroll
    for (int x0 = 0; x0 < KD; x0 += XB) {
        float a[XB][4];
        uint4 vf[XB];
#pragma unroll
        for (int x = 0; x < XB; x++) {
            vf[x] = vfr(x0 + x);
#pragma unroll
            for (int r = 0; r < 4; r++) a[x][r] = 0.f;
        }
#pragma unroll
        for (int x = 0; x < XB; x++) mma16(a[x], pl, vf[x].x, vf[x].y);
#pragma unroll
        for (int x = 0; x < XB; x++) mma16(a[x], ph, vf[x].z, vf[x].w);
#pragma unroll
        for (int x = 0; x < XB; x++) mma16(a[x], ph, vf[x].x, vf[x].y);
#pragma unroll
        for (int x = 0; x < XB; x++)
#pragma unroll
            for (int r = 0; r < 4; r++) o[x0 + x][r] = fmaf(a[x][r], vinv, o[x0 + x][r]);
    }
}

// QG: 16-query groups (one per warp), KS: key slices, ST: fragments are staged, in chunks of one 16-key tile per warp
// (otherwise every warp makes its own fragments), FULL: d_k == DK.
template <int DK, int QG, int KS, bool ST, bool FULL>
__global__ void __launch_bounds__(QG * KS * 32)
mha_kernel(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V,
           float* __restrict__ out, int N, int ld, int h, int dk, float c) {
    extern __shared__ __align__(16) float smem[];
    if constexpr (DK == 0) {
        general_path(Q, K, V, out, N, ld, h, dk, c, smem);
    } else {
        constexpr int NT = QG * KS * 32;
        constexpr int NW = QG * KS;
        constexpr int QT = 16 * QG;
        constexpr int S = DK + 4;
        constexpr int KD = DK / 8;
        constexpr int KQ = (DK == 8) ? 1 : DK / 16;   // column steps of Q*K
        constexpr int E = DK / 4;
        constexpr int NF = 2 * KQ;                    // key fragments of a tile

        int tid = threadIdx.x, lane = tid & 31, w = tid >> 5;
        int g = lane >> 2, t4 = lane & 3;
        int qg = w % QG, ks = w / QG;
        int q0 = blockIdx.y * QT;
        size_t hoff = (size_t)blockIdx.x * dk;

        float2* sML = reinterpret_cast<float2*>(smem);  // KS * QT
        float* buf = smem + 2 * KS * QT;                // KS * QT * S

        const float* Kh = K + hoff;
        const float* Vh = V + hoff;

        unsigned qh[KQ][4], ql[KQ][4];
        float cq = 0.f;
        float o[KD][4], m[2], l[2];
#pragma unroll
        for (int x = 0; x < KD; x++)
#pragma unroll
            for (int r = 0; r < 4; r++) o[x][r] = 0.f;
        m[0] = m[1] = -INFINITY;
        l[0] = l[1] = 0.f;

        float qx[2][E];
        auto load_q = [&]() {
#pragma unroll
            for (int u = 0; u < 2; u++) {
                int n = q0 + qg * 16 + u * 8 + g;
                load_qk<DK, FULL>(qx[u], Q + hoff + (size_t)n * ld, n < N, t4, dk);
            }
        };
        auto make_q = [&]() {
            float mx = 0.f;
#pragma unroll
            for (int u = 0; u < 2; u++)
#pragma unroll
                for (int e = 0; e < E; e++) mx = fmaxf(mx, fabsf(qx[u][e]));
            float sc, inv;
            tile_scale(mx, sc, inv);
            cq = c * inv;
#pragma unroll
            for (int kk = 0; kk < KQ; kk++)
#pragma unroll
                for (int r = 0; r < ((DK == 8) ? 2 : 4); r++) {
                    int e = 4 * kk + (r >> 1) * 2;
                    split2(qx[r & 1][e] * sc, qx[r & 1][e + 1] * sc, qh[kk][r], ql[kk][r]);
                }
        };

        float kr[2][E];
        float vr[2][2][KD];
        if constexpr (!ST) {
            int per = ((N + KS - 1) / KS + 15) & ~15;
            int kbeg = ks * per;
            int kend = min(N, kbeg + per);
            load_k16<DK, FULL>(kr, Kh, kbeg, kend, ld, g, t4, dk);
            load_q();
            load_v16<DK, FULL>(vr, Vh, kbeg, kend, ld, g, t4, dk);
            make_q();
#pragma unroll 1
            for (int k0 = kbeg; k0 < kend; k0 += 16) {
                uint4 kf[NF], vf[KD];
                float kinv, vinv;
                make_k<DK>(kr, kf, kinv);
                make_v<DK>(vr, vf, vinv);
                if (k0 + 16 < kend) {
                    load_k16<DK, FULL>(kr, Kh, k0 + 16, kend, ld, g, t4, dk);
                    load_v16<DK, FULL>(vr, Vh, k0 + 16, kend, ld, g, t4, dk);
                }
                step16<DK>(RegFrag<NF>{kf}, RegFrag<KD>{vf}, cq * kinv, vinv, qh, ql, o, m, l, kend - k0, t4);
            }
        } else {
            constexpr int BUF = NW * (NF + KD) * 32 + NW / 2;  // uint4 per buffer: K, V, scales
            uint4* base = reinterpret_cast<uint4*>(buf + KS * QT * S);
            load_k16<DK, FULL>(kr, Kh, w * 16, N, ld, g, t4, dk);
            load_v16<DK, FULL>(vr, Vh, w * 16, N, ld, g, t4, dk);
            load_q();
            int nb = 0;
#pragma unroll 1
            for (int c0 = 0; c0 < N; c0 += NW * 16) {
                int len = min(NW * 16, N - c0);
                int nt = (len + 15) >> 4;
                uint4* sK = base + nb * BUF;
                uint4* sV = sK + NW * NF * 32;
                float2* sS = reinterpret_cast<float2*>(sV + NW * KD * 32);
                nb ^= 1;
                // every tile is fetched, scaled and split once per block, by one warp
                if (w < nt) {
                    float kinv, vinv;
                    {
                        uint4 kf[NF];
                        make_k<DK>(kr, kf, kinv);
#pragma unroll
                        for (int y = 0; y < NF; y++) sK[(w * NF + y) * 32 + lane] = kf[y];
                    }
                    {
                        uint4 vf[KD];
                        make_v<DK>(vr, vf, vinv);
#pragma unroll
                        for (int y = 0; y < KD; y++) sV[(w * KD + y) * 32 + lane] = vf[y];
                    }
                    if (lane == 0) sS[w] = make_float2(kinv, vinv);
                }
                // the next chunk's tile is in flight during this chunk's products
                int n1 = c0 + (NW + w) * 16;
                if (n1 < N) {
                    load_k16<DK, FULL>(kr, Kh, n1, N, ld, g, t4, dk);
                    load_v16<DK, FULL>(vr, Vh, n1, N, ld, g, t4, dk);
                }
                if (c0 == 0) make_q();
                __syncthreads();
                int per = (nt + KS - 1) / KS;
                int tend = min(nt, (ks + 1) * per);
#pragma unroll 1
                for (int t = ks * per; t < tend; t++) {
                    float2 sc = sS[t];
                    step16<DK>(ShFrag{sK + t * NF * 32 + lane}, ShFrag{sV + t * KD * 32 + lane}, cq * sc.x, sc.y,
                               qh, ql, o, m, l, len - t * 16, t4);
                }
            }
        }

        // merge the key slices
#pragma unroll
        for (int u = 0; u < 2; u++) {
            int qi = ks * QT + qg * 16 + u * 8 + g;
            l[u] += __shfl_xor_sync(0xffffffffu, l[u], 1);
            l[u] += __shfl_xor_sync(0xffffffffu, l[u], 2);
            if (t4 == 0) sML[qi] = make_float2(m[u], l[u]);
            // accumulator column n of block x is the head's column n*KD + x
            float* ob = buf + qi * S + 2 * t4 * KD;
            float tmp[2 * KD];
#pragma unroll
            for (int x = 0; x < KD; x++) {
                tmp[x] = o[x][2 * u];
                tmp[KD + x] = o[x][2 * u + 1];
            }
            if constexpr (KD == 1) {
                *reinterpret_cast<float2*>(ob) = make_float2(tmp[0], tmp[1]);
            } else {
#pragma unroll
                for (int x = 0; x < 2 * KD; x += 4)
                    *reinterpret_cast<float4*>(ob + x) = make_float4(tmp[x], tmp[x + 1], tmp[x + 2], tmp[x + 3]);
            }
        }
        __syncthreads();
        constexpr int VEC = (FULL && QT * DK >= 4 * NT) ? 4 : 1;
#pragma unroll 1
        for (int e = tid; e < QT * DK / VEC; e += NT) {
            int qi = e / (DK / VEC), j = (e % (DK / VEC)) * VEC;
            float2 ml[KS];
            float M = -INFINITY;
#pragma unroll
            for (int x = 0; x < KS; x++) {
                ml[x] = sML[x * QT + qi];
                M = fmaxf(M, ml[x].x);
            }
            float L = 0.f, acc[VEC];
#pragma unroll
            for (int v = 0; v < VEC; v++) acc[v] = 0.f;
#pragma unroll
            for (int x = 0; x < KS; x++) {
                float wt = ex2(ml[x].x - M);
                L = fmaf(wt, ml[x].y, L);
                const float* ob = buf + (x * QT + qi) * S + j;
                if constexpr (VEC == 4) {
                    float4 v = *reinterpret_cast<const float4*>(ob);
                    acc[0] = fmaf(wt, v.x, acc[0]);
                    acc[1] = fmaf(wt, v.y, acc[1]);
                    acc[2] = fmaf(wt, v.z, acc[2]);
                    acc[3] = fmaf(wt, v.w, acc[3]);
                } else {
                    acc[0] = fmaf(wt, ob[0], acc[0]);
                }
            }
            int n = q0 + qi;
            if (n < N && j < dk) {
                float* dst = out + (size_t)n * ld + hoff + j;
                if constexpr (VEC == 4) {
                    *reinterpret_cast<float4*>(dst) =
                        make_float4(__fdividef(acc[0], L), __fdividef(acc[1], L), __fdividef(acc[2], L), __fdividef(acc[3], L));
                } else {
                    *dst = __fdividef(acc[0], L);
                }
            }
        }
    }
}

template <int DK, int QG, int KS, bool ST, bool FULL>
static void launch2(const float* Q, const float* K, const float* V, float* out, int N, int ld, int h, int dk, float c) {
    const int QT = 16 * QG;
    const int NW = QG * KS;
    const int NF = (DK == 8) ? 2 : DK / 8;
    size_t bytes = (size_t)KS * QT * (DK + 4 + 2) * 4;
    if (ST) bytes += (size_t)(N > NW * 16 ? 2 : 1) * NW * ((NF + DK / 8) * 512 + 8);
    if (bytes > 48 * 1024)
        cudaFuncSetAttribute(mha_kernel<DK, QG, KS, ST, FULL>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    dim3 grid((unsigned)h, (unsigned)((N + QT - 1) / QT));
    mha_kernel<DK, QG, KS, ST, FULL><<<grid, QG * KS * 32, bytes>>>(Q, K, V, out, N, ld, h, dk, c);
}

template <int DK, int QG, int KS, bool ST>
static void launch(const float* Q, const float* K, const float* V, float* out, int N, int ld, int h, int dk, float c) {
    if (dk == DK) launch2<DK, QG, KS, ST, true>(Q, K, V, out, N, ld, h, dk, c);
    else launch2<DK, QG, KS, ST, false>(Q, K, V, out, N, ld, h, dk, c);
}

extern "C" void solve(const float* Q, const float* K, const float* V, float* output, int N, int d_model, int h) {
    int dk = d_model / h;
    float c = (float)(1.4426950408889634 / sqrt((double)dk));
    long long b16 = (long long)((N + 15) / 16) * h;
    if (dk <= 8) {
        if (b16 <= 264) {
            if (N <= 64) launch<8, 1, 4, false>(Q, K, V, output, N, d_model, h, dk, c);
            else launch<8, 1, 8, false>(Q, K, V, output, N, d_model, h, dk, c);
        } else {
            launch<8, 4, 4, true>(Q, K, V, output, N, d_model, h, dk, c);
        }
    } else if (dk <= 16) {
        if (b16 <= 132) launch<16, 1, 16, false>(Q, K, V, output, N, d_model, h, dk, c);
        else launch<16, 3, 8, true>(Q, K, V, output, N, d_model, h, dk, c);
    } else if (dk <= 32) {
        if (b16 <= 264) launch<32, 1, 8, false>(Q, K, V, output, N, d_model, h, dk, c);
        else launch<32, 4, 4, true>(Q, K, V, output, N, d_model, h, dk, c);
    } else if (dk <= 64) {
        launch<64, 2, 4, true>(Q, K, V, output, N, d_model, h, dk, c);
    } else {
        mha_kernel<0, 1, 8, false, false><<<(unsigned)N * (unsigned)h, 256, 1024>>>(Q, K, V, output, N, d_model, h, dk, c);
    }
}
