# SPDX-License-Identifier: MIT
"""The host of the checks: wg_torch.h and wg_torch.c give the verbs, verbs.py does them."""
