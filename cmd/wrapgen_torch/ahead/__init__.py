# SPDX-License-Identifier: MIT
"""Ahead of time: build() writes the wrappers of a program's graphs into a directory, and a Backend puts them in place of
PyTorch's own in torch.compile, without compiling any C."""
