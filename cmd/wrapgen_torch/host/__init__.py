# SPDX-License-Identifier: MIT
"""The host of the checks: wg_python.h and wg_python*.c declare the verbs, verbs.py does the work."""
