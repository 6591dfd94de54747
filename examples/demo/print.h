/* SPDX-License-Identifier: MIT */
/*
 * print - what goes in and out of a call, for people.
 */
#ifndef DEMO_PRINT_H
#define DEMO_PRINT_H

#include "check.h"

/* Does the call change the value: its elements, its geometry, its version? */
bool demo_is_mutated(const DemoValue *before, const DemoValue *after);

void demo_print_call(const DemoCall *call, const DemoArguments *arguments, const WgValue *outs);
void demo_print_backward(const DemoCall *call, const DemoArguments *tangents, const WgValue *gradients);

/* One line for a graph: counts, and whether all is as in PyTorch. `ran`: every call came back with WG_OK. */
void demo_print_summary(const DemoCase *data, const DemoReport *report, bool ran);

#endif /* DEMO_PRINT_H */
