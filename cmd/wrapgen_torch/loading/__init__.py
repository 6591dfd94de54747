# SPDX-License-Identifier: MIT
"""load(): what build(..., load=True) wrote, called without Dynamo. Nothing here imports torch._dynamo, or what does."""
