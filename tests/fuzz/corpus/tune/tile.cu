#define TILE 32       // tune: TILE = 16, 32, 64
constexpr int kRows = 8;  // tune: kRows = 1..8
// tune: VEC = float, float2, float4; require TILE * kRows <= 256
__global__ void k(VEC* a) { a[threadIdx.x] = VEC(); }
