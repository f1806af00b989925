hipLaunchKernelGGL(k, dim3(1), 2, 0, s, a);
HIP_DYNAMIC_SHARED(float, x)
asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 0; @p ld.global.v2.u32 {%0, %2}, [%3+8]; }"
             : "=r"(a)
             : "r"(b), "r"(c), "l"(d));
R"x(