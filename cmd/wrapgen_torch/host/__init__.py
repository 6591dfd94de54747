# SPDX-License-Identifier: MIT
"""The host of the checks: wg_torch.h and wg_torch.c declare the verbs, verbs.py does the work."""
