/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_saved.hpp - what a forward leaves for its backward, in the struct that the generated functions share.
 */
#ifndef WG_TORCH_SAVED_HPP
#define WG_TORCH_SAVED_HPP

#include "wg_torch_autograd.h"
#include "wg_torch_inside.hpp"

#include <cstddef>
#include <memory>
#include <vector>

/* The struct that the generated functions share, and its two arrays that are looked into. */
class WgTorchSaved
{
  public:
    explicit WgTorchSaved(const WgTorchTraining &of) : graph(of), bytes(new max_align_t[room(of)]())
    {
    }
    ~WgTorchSaved()
    {
        release();
    }
    WgTorchSaved(const WgTorchSaved &) = delete;
    WgTorchSaved &operator=(const WgTorchSaved &) = delete;
    void *address() const
    {
        return bytes.get();
    }
    WgTensor *&tensor(size_t i) const
    {
        return reinterpret_cast<WgTensor **>(start() + graph.tensors_at)[i];
    }
    int64_t &version(size_t i) const
    {
        return reinterpret_cast<int64_t *>(start() + graph.versions_at)[i];
    }
    void *opaque(size_t i) const
    {
        return reinterpret_cast<void **>(start() + graph.opaque_at)[i];
    }
    void release()
    {
        graph.release(nullptr, address());
    }

  private:
    static size_t room(const WgTorchTraining &of)
    {
        return of.saved_size / sizeof(max_align_t) + 1;
    }
    char *start() const
    {
        return reinterpret_cast<char *>(bytes.get());
    }
    const WgTorchTraining &graph;
    std::unique_ptr<max_align_t[]> bytes;
};

/* The saved tensors are in the struct for as long as the backward runs, whatever is thrown: left there, they would be
 * released with it. Versions that PyTorch has checked are those that the backward expects. */
class WgTorchLent
{
  public:
    WgTorchLent(const WgTorchSaved &to, const std::vector<at::Tensor> &tensors) : saved(to), num_tensors(tensors.size())
    {
        for (size_t i = 0; i < num_tensors; i++) {
            saved.tensor(i) = wg_torch_lend(tensors[i]);
            saved.version(i) = tensors[i].is_inference() ? 0 : static_cast<int64_t>(tensors[i]._version());
        }
    }
    ~WgTorchLent()
    {
        for (size_t i = 0; i < num_tensors; i++) {
            saved.tensor(i) = nullptr;
        }
    }
    WgTorchLent(const WgTorchLent &) = delete;
    WgTorchLent &operator=(const WgTorchLent &) = delete;

  private:
    const WgTorchSaved &saved;
    size_t num_tensors;
};

#endif /* WG_TORCH_SAVED_HPP */
