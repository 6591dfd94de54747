# SPDX-License-Identifier: MIT
"""`wrapgen-torch deploy`: from a PyTorch program to a folder that builds a C program of it, without Python (README.md)."""
