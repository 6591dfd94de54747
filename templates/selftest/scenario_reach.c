/* SPDX-License-Identifier: MIT */
/*
 * scenario_reach - how far into a storage a graph goes by offsets that it states: those say nothing of where the base
 * of an alias begins or ends, so it is for the storages to be large enough.
 */
#include <string.h>

#include "scenario_private.h"

static void reach_as_far(Prepared *p, const ViewGeometry *geometry)
{
    const int64_t bytes = mock_bytes_needed(geometry);
    p->reach = bytes > p->reach ? bytes : p->reach;
}

/* In elements of the largest dtype, as the base's is not known here. */
static void reach_stated(Prepared *p, const SpecInts *size, const SpecInts *stride, const SpecInt *offset)
{
    ViewGeometry geometry;
    memset(&geometry, 0, sizeof geometry);
    geometry.dtype = WG_COMPLEX128;
    scenario_state(&p->symbols, size, stride, offset, &geometry);
    reach_as_far(p, &geometry);
}

void scenario_find_reach(Prepared *p)
{
    const SpecGraph *graph = p->layout->graph;
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        const SpecOutput *output = &graph->outputs[i];
        const SpecAsStrided *stated = output->as_strided;
        if (!layout_is_alias(output->type)) {
            continue;
        }
        reach_stated(p, &output->size, &output->stride, &output->storage_offset);
        if (stated != NULL) {
            reach_stated(p, &stated->size, &stated->stride, &stated->offset);
        }
        for (uint32_t k = 0; k < output->view_count; k++) {
            const SpecView *view = &output->view[k];
            if (view->op == SPEC_VIEW_AS_STRIDED) {
                reach_stated(p, &view->size, &view->stride, &view->offset);
            }
        }
    }
}
