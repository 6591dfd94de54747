// SPDX-License-Identifier: MIT
//
// prototypes.cpp - libtorch's own headers and our declarations of the same functions in one file: where they differ, it does
// not compile. Numbers that both have are compared here, too.
#include <torch/csrc/inductor/aoti_runtime/interface.h>
#include <torch/csrc/stable/c/shim.h>
#include <torch/headeronly/core/DeviceType.h>
#include <torch/headeronly/core/MemoryFormat.h>
#include <torch/headeronly/core/ScalarType.h>

#include "wg_aoti.h"
#include "wg_copy.h"

#include <type_traits>

// Every dtype: same number under the same name.
#define SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs), #ours)
using torch::headeronly::ScalarType;
SAME(WG_UINT8, ScalarType::Byte);
SAME(WG_INT8, ScalarType::Char);
SAME(WG_INT16, ScalarType::Short);
SAME(WG_INT32, ScalarType::Int);
SAME(WG_INT64, ScalarType::Long);
SAME(WG_FLOAT16, ScalarType::Half);
SAME(WG_FLOAT32, ScalarType::Float);
SAME(WG_FLOAT64, ScalarType::Double);
SAME(WG_COMPLEX32, ScalarType::ComplexHalf);
SAME(WG_COMPLEX64, ScalarType::ComplexFloat);
SAME(WG_COMPLEX128, ScalarType::ComplexDouble);
SAME(WG_BOOL, ScalarType::Bool);
SAME(WG_BFLOAT16, ScalarType::BFloat16);
SAME(WG_FLOAT8_E5M2, ScalarType::Float8_e5m2);
SAME(WG_FLOAT8_E4M3FN, ScalarType::Float8_e4m3fn);
SAME(WG_FLOAT8_E5M2FNUZ, ScalarType::Float8_e5m2fnuz);
SAME(WG_FLOAT8_E4M3FNUZ, ScalarType::Float8_e4m3fnuz);
SAME(WG_UINT16, ScalarType::UInt16);
SAME(WG_UINT32, ScalarType::UInt32);
SAME(WG_UINT64, ScalarType::UInt64);

using torch::headeronly::DeviceType;
SAME(WG_CPU, DeviceType::CPU);
SAME(WG_CUDA, DeviceType::CUDA);
SAME(WG_HIP, DeviceType::HIP);
SAME(WG_XLA, DeviceType::XLA);
SAME(WG_XPU, DeviceType::XPU);
SAME(WG_MPS, DeviceType::MPS);
SAME(WG_META, DeviceType::Meta);
SAME(WG_HPU, DeviceType::HPU);
SAME(WG_PRIVATEUSE1, DeviceType::PrivateUse1);

using torch::headeronly::MemoryFormat;
SAME(WG_CONTIGUOUS, MemoryFormat::Contiguous);
SAME(WG_CHANNELS_LAST, MemoryFormat::ChannelsLast);
SAME(WG_CHANNELS_LAST_3D, MemoryFormat::ChannelsLast3d);

// A model's functions are found by name, so no compiler compares them with ours: their shapes, pointers being one size.
static_assert(std::is_same_v<decltype(&AOTInductorModelContainerCreateWithDevice),
                             int32_t (*)(AOTInductorModelContainerHandle *, size_t, const char *, const char *)>);
static_assert(std::is_same_v<decltype(&AOTInductorModelContainerDelete), int32_t (*)(AOTInductorModelContainerHandle)>);
static_assert(std::is_same_v<decltype(&AOTInductorModelContainerGetNumInputs),
                             int32_t (*)(AOTInductorModelContainerHandle, size_t *)>);
static_assert(std::is_same_v<decltype(&AOTInductorModelContainerGetNumOutputs),
                             int32_t (*)(AOTInductorModelContainerHandle, size_t *)>);
static_assert(std::is_same_v<decltype(&AOTInductorModelContainerRun),
                             int32_t (*)(AOTInductorModelContainerHandle, AtenTensorOpaque **, size_t, AtenTensorOpaque **,
                                         size_t, AOTInductorStreamHandle, AOTIProxyExecutorHandle)>);
static_assert(std::is_same_v<decltype(&AOTInductorGetLastError), int32_t (*)(const char **)>);

int main()
{
    bool same = true;
#define ELEMENT(number, name, size, family) same = same && aoti_torch_dtype_element_size(number) == (size);
    WG_DTYPES(ELEMENT)
#undef ELEMENT
    return same ? 0 : 1;
}
